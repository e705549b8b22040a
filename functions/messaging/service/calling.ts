/** The provider, for other contexts that send by themselves: the gateway stays the one file that speaks to it. */
export { type SendingNumber, sendToProvider } from '../gateway.ts';
