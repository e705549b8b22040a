/** The provider, for the contexts that send by themselves: messaging's gateway stays the one file that speaks to it. */
export { sendToProvider } from '../gateway/messages.ts';
