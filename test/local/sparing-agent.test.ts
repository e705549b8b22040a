import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { SparingAgent } from '../../lib/local/sparing-agent.mjs';

test('so many calls are under way as there may be at that moment, over kept connections, and one that fails lets the next begin', async () => {
  const open = new Set<ServerResponse>();
  const connections = new Set<unknown>();
  let [most, peak] = [2, 0];
  const server = createServer((incoming, response) => {
    connections.add(incoming.socket);
    open.add(response);
    response.on('close', () => open.delete(response));
    peak = Math.max(peak, open.size);
    if (most === 1) setTimeout(() => response.end(), 2);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new SparingAgent(() => most);
  const ends: string[] = [];
  const call = () =>
    request({ host: '127.0.0.1', port, agent }, (answer) => answer.resume().on('end', () => ends.push('answered')))
      .on('error', () => ends.push('failed'))
      .end();
  try {
    for (let nth = 0; nth < 8; nth++) call();
    await expect.poll(() => open.size).toBe(2);
    expect(peak).toBe(2);
    const [first, second] = open;
    most = 1;
    first?.end();
    await expect.poll(() => open.size).toBe(1);
    peak = 0;
    second?.end();
    await expect.poll(() => ends.length).toBe(8);
    expect(peak).toBe(1);
    expect(connections.size).toBe(2);
    most = 2;
    call();
    await expect.poll(() => open.size).toBe(1);
    for (let nth = 0; nth < 3; nth++) call();
    await expect.poll(() => open.size).toBe(2);
    for (const response of open) response.destroy();
    await expect.poll(() => ends.filter((each) => each === 'failed').length).toBe(2);
    await expect.poll(() => open.size).toBe(2);
    for (const response of open) response.end();
    await expect.poll(() => ends.filter((each) => each === 'answered').length).toBe(10);
  } finally {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  }
});

test('a long call goes after the others that wait', async () => {
  const begun: string[] = [];
  const open: ServerResponse[] = [];
  const server = createServer((incoming, response) => {
    begun.push(String(incoming.url));
    open.push(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new SparingAgent(
    () => 1,
    ({ path }) => path.startsWith('/long'),
  );
  try {
    let answered = 0;
    for (const path of ['/first', '/long-1', '/long-2', '/short-1', '/short-2'])
      request({ host: '127.0.0.1', port, agent, path }, (answer) => answer.resume().on('end', () => answered++)).end();
    for (let count = 1; count <= 5; count++) {
      await expect.poll(() => begun.length).toBe(count);
      open.at(-1)?.end();
    }
    await expect.poll(() => answered).toBe(5);
    expect(begun).toEqual(['/first', '/short-1', '/short-2', '/long-1', '/long-2']);
  } finally {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  }
});
