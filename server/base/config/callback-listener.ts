/**
 * The loopback address on which the API answers the callbacks of runs, and nothing else. It is not 127.0.0.1, where programs of
 * this machine take any free port.
 */
export const callbackAddress = '127.83.74.1'

/** The port of the callbacks, unless the operator names one. */
export const callbackPortBeside = (port: number): number => (port <= 50_000 ? port + 10_000 : port - 10_000)
