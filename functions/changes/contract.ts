/** The name of the entity of changes that no reaction could carry out. A retry by the operator is a change of such an item. */
export const setAsideChangeName = 'set-aside-change';
