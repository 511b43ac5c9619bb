/**
 * Where a sandbox whose network has `service` reaches the service's listener for callbacks, and nothing else of the host. The same
 * on every machine.
 */
export const serviceAddress = { ip4: '198.18.0.1', port: 80 } as const
