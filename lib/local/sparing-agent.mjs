import { Agent } from 'node:http';

/**
 * Connections on which at most so many calls are under way as `most` says at that moment. The agent of Node has a fixed number, and gives the
 * connections that it has already to more.
 */
export class SparingAgent extends Agent {
  #most;
  #running = 0;
  #waiting = [];

  constructor(most) {
    super({ keepAlive: true });
    this.#most = most;
  }

  addRequest(...call) {
    this.#waiting.push(call);
    this.#start();
  }

  #start() {
    while (this.#waiting.length > 0 && this.#running < this.#most()) {
      const call = this.#waiting.shift();
      this.#running++;
      // its connection is free for the next call only after all that follows from its end
      call[0].once('close', () => process.nextTick(() => this.#next()));
      super.addRequest(...call);
    }
  }

  #next() {
    this.#running--;
    this.#start();
  }
}
