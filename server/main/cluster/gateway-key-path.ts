import { join } from 'node:path'

/** The key of the authority of gateways, for the worker alone. Every machine of a deployment has the same. */
export const gatewayKeyPath = (dataDir: string): string => join(dataDir, 'keys/gateway/authority.pem')
