/** Named by the types of the API's requests, which come with its rules and which no page sees. */
type Buffer = Uint8Array;
