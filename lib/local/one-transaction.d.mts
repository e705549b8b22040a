import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

type Request = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

export declare const inOneTransaction: (request: Request) => Request;
export declare const isBatchOfStatements: (request: ClientRequest) => boolean;
