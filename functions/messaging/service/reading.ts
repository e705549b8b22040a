/** Messages as other contexts read them. */
export { getMessages, listMessages } from '../store/message.ts';
