import { Agent } from 'node:http';

/**
 * Connections on which at most so many calls are under way as `most` says at that moment. The agent of Node has a fixed number, and gives the
 * connections that it has already to more. Long calls go after others that wait.
 */
export class SparingAgent extends Agent {
  #most;
  #isLong;
  #running = 0;
  #waiting = [];

  constructor(most, isLong = () => false) {
    super({ keepAlive: true });
    this.#most = most;
    this.#isLong = isLong;
  }

  addRequest(...call) {
    this.#waiting.push(call);
    this.#start();
  }

  #start() {
    while (this.#waiting.length > 0 && this.#running < this.#most()) {
      const short = this.#waiting.findIndex(([request]) => !this.#isLong(request));
      const [call] = this.#waiting.splice(Math.max(0, short), 1);
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
