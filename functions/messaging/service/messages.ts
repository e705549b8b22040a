/** Messages as other contexts read them. */
export { getMessage, getMessages, listMessages } from '../store/message.ts';
