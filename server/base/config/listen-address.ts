/** The parts of an address to listen on, such as `127.0.0.1:9464` or `[::1]:9464`. */
export function listenAddress(listen: string): { host: string; port: number } {
  const at = listen.lastIndexOf(':')
  return { host: listen.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(listen.slice(at + 1)) }
}
