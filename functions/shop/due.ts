import { dueConnection } from './contract/connection.ts';
import { dueCart } from './contract/follow-up.ts';

export const due = [dueConnection, dueCart];
