import { homedir } from 'node:os'
import { join } from 'node:path'
import { type LogLevel, logLevels } from '@sandbox-jobs/contract/operator/service-log.ts'
import { parseAddressRange } from '../addresses/address-range.ts'
import { absolutePath, flag, integer, oneOf, type Settings, text, url } from './setting.ts'

/** Where the service keeps its data and is reached. */
export interface ServiceConfig {
  /** Folder of all data of the service. */
  dataDir: string
  host: string
  port: number
  /** Where the API answers the callbacks of runs, and nothing else, at `callbackAddress`. */
  callbackPort: number
  /** Address ranges of the reverse proxies whose forwarding headers are trusted. */
  trustedProxies: string[]
  /** Prefix of links, without a slash at the end. */
  baseUrl: string
  /** The kill switch: false refuses every mutation except cancel, download, login and the directory, whatever operators do. */
  enabled: boolean
  /** False: the keys are those of another machine, and a missing one is not made. */
  makeKeys: boolean
  deployment: 'onprem' | 'hosted'
  /** The level at the start: `sandbox operator log-level` changes it while the service runs. */
  logLevel: LogLevel
  /** How long the API goes on after the signal to stop, while it says that it is not ready. */
  drainSeconds: number
  /** Of the successful reads of a route, one in so many has a line in the log of the API; 0: none. */
  readsPerLogLine: number
}

const isRoot = () => process.getuid?.() === 0

/**
 * The loopback address on which the API answers the callbacks of runs, and nothing else. It is not 127.0.0.1, where programs of
 * this machine take any free port.
 */
export const callbackAddress = '127.83.74.1'

/** The port of the callbacks, unless the operator names one. */
const callbackPortBeside = (port: number): number => (port <= 50_000 ? port + 10_000 : port - 10_000)

export const serviceSettings: Settings<ServiceConfig> = {
  dataDir: {
    env: 'SANDBOX_DATA',
    description: 'folder of all data of the service',
    fallback: () => (isRoot() ? '/var/lib/sandbox-jobs' : join(homedir(), '.local/share/sandbox-jobs')),
    ...absolutePath,
  },
  host: {
    env: 'SANDBOX_HOST',
    description: 'address to listen on',
    fallback: () => '127.0.0.1',
    ...text(/^[0-9a-zA-Z.:-]+$/, 'an address'),
  },
  port: { env: 'SANDBOX_PORT', description: 'port to listen on', fallback: () => 8080, ...integer(1, 65535) },
  callbackPort: {
    env: 'SANDBOX_CALLBACK_PORT',
    description: `port of ${callbackAddress} that runs reach to write their output; default SANDBOX_PORT + 10000`,
    fallback: (read) => callbackPortBeside(Number(read.port)),
    ...integer(1, 65535),
  },
  trustedProxies: {
    env: 'SANDBOX_TRUSTED_PROXIES',
    description:
      'addresses of reverse proxies, as ranges with commas between them: what their X-Forwarded-For or Forwarded says is believed',
    fallback: () => [],
    expected: 'ranges such as 10.0.0.0/8,192.0.2.7/32,2001:db8::/32',
    parse: (raw) => {
      const ranges = String(raw)
        .split(',')
        .map((range) => range.trim())
      return ranges.every((range) => parseAddressRange(range) !== undefined) ? ranges : undefined
    },
  },
  baseUrl: {
    env: 'SANDBOX_BASE_URL',
    description: 'prefix of links; default http://HOST:PORT',
    fallback: (read) => `http://${read.host}:${read.port}`,
    ...url,
  },
  enabled: {
    env: 'SANDBOX_ENABLED',
    description: 'kill switch: false refuses every change except cancel, download, login and the directory',
    fallback: () => true,
    ...flag,
  },
  makeKeys: {
    env: 'SANDBOX_MAKE_KEYS',
    description:
      'whether missing keys are made in the data folder; false on each further machine of a deployment, which has the keys of the first',
    fallback: () => true,
    ...flag,
  },
  deployment: {
    env: 'SANDBOX_DEPLOYMENT',
    description: 'region set and defaults',
    fallback: () => 'onprem',
    ...oneOf('onprem', 'hosted'),
  },
  logLevel: {
    env: 'SANDBOX_LOG_LEVEL',
    description: 'lowest level that is logged',
    fallback: () => 'info',
    ...oneOf(...logLevels),
  },
  drainSeconds: {
    env: 'SANDBOX_DRAIN_SECONDS',
    description: 'how long the API goes on after the signal to stop, while /ready answers 503',
    fallback: () => 0,
    ...integer(0, 15),
  },
  readsPerLogLine: {
    env: 'SANDBOX_READS_PER_LOG_LINE',
    description: 'successful reads of a route per line in the log of the API; 0: none is logged',
    fallback: () => 100,
    ...integer(0, 1_000_000),
  },
}
