import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';

/** Stands between a client and a server, and can break or delay the way back, or answer in place of the server. */
export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cutsReply = false;
  #delay = 0;
  /** How many replies to let pass before the next is cut, or those that follow are delayed. */
  #spared = 0;
  #answer: (request: Buffer) => Buffer | undefined = () => undefined;

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  static async start(target: number): Promise<Relay> {
    const server = createServer().listen(0, HOST);
    await new Promise((resolve) => server.once('listening', resolve));
    const relay = new Relay(server);
    server.on('connection', (near) => relay.#join(near, connectTo(target, HOST)));
    return relay;
  }

  #join(near: Socket, far: Socket): void {
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    /** When the last bytes pass, which later ones must not overtake. */
    let last: Promise<unknown> = Promise.resolve();
    near.on('data', (bytes) => {
      const reply = this.#answer(bytes);
      if (reply) near.write(reply);
      else far.write(bytes);
    });
    far.on('data', (bytes) => {
      const isSpared = this.#spared > 0;
      if (isSpared) this.#spared--;
      if (this.#cutsReply && !isSpared) {
        this.#cutsReply = false;
        return end();
      }
      const delay = isSpared ? 0 : this.#delay;
      last = Promise.all([last, delay > 0 && sleep(delay, undefined, { ref: false })]).then(() => near.write(bytes));
    });
  }

  /** Breaks the connection when the server sends its next reply, or a later one, which is lost. */
  cutNextReply({ spared = 0 } = {}): void {
    this.#cutsReply = true;
    this.#spared = spared;
  }

  /** Delays replies by some milliseconds from now on, but for the next few. */
  delayReplies(milliseconds: number, { spared = 0 } = {}): void {
    this.#delay = milliseconds;
    this.#spared = spared;
  }

  /** Sends what `answer` returns to the client. The server gets only the requests for which that is undefined. */
  answerWith(answer: (request: Buffer) => Buffer | undefined): void {
    this.#answer = answer;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
