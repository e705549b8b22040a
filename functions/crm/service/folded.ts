/** The rows that the change stream folds, for its one consumer. */
export { activityEntity } from '../store/lead.ts';
export { leadPageEntity as blockEntity, cellsEntity, leadRowEntity, taskRowEntity } from '../store/row.ts';
