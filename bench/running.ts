import { readFileSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import type { Product } from '../test/support/product.ts';

/** What several scenarios ask of the running product. */

/** The environment that its functions get: with it, services called in this process act on its table and queues. */
export const environmentOf = (product: Product): Record<string, string> =>
  z.object({ env: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync(join(product.folder, 'runtime.json'), 'utf8'))).env;

/** Gives the first company so many contacts, `Person 0` and on, and waits until all that follows from them is done. */
export const addPeople = async (product: Product, count: number): Promise<void> => {
  for (let first = 0; first < count; first += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - first) }, (_, index) => ({
      phone: `+4915160${String(100_000 + first + index)}`,
      name: `Person ${first + index}`,
    }));
    const answer = await product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts } });
    if (answer.status !== 200) throw new Error(answer.raw);
  }
  await product.idle(600);
};

/** Posts JSON as a webhook is posted, over kept connections; the status of the answer. */
export const postJson = (address: string, agent: Agent, body: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = request(address, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
