import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A connection to a service that can be cut in the middle of a transfer. */
export interface BreakableNetwork {
  readonly origin: string;
  /** Breaks all connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Breaks all connections after this many further bytes to the service. */
  cutAfter(bytes: number): void;
  /** From now on, a connection stalls after this many bytes to the service, until it is cut. */
  stallAfter(bytes: number): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a proxy to the service at an origin, with its own address. */
export async function breakableNetwork(serviceOrigin: string): Promise<BreakableNetwork> {
  const { hostname, port } = new URL(serviceOrigin);
  const sockets = new Set<Socket>();
  let isCut = false;
  let leftBytes = Infinity;
  let mostBytes = Infinity;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const cutAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const cut = (): void => {
    isCut = true;
    cutAll();
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(port), hostname);
    keep(far);
    let carriedBytes = 0;
    near.on("data", ({ length }: Buffer) => {
      leftBytes -= length;
      carriedBytes += length;
      if (leftBytes < 0) cut();
      else if (carriedBytes >= mostBytes) {
        near.unpipe(far);
        near.pause();
      }
    });
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${address.port}`,
    cut,
    cutAfter(bytes) {
      leftBytes = bytes;
    },
    stallAfter(bytes) {
      mostBytes = bytes;
    },
    mend() {
      isCut = false;
      leftBytes = Infinity;
      mostBytes = Infinity;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cutAll();
      await closed;
    },
  };
}
