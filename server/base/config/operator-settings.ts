import { listenAddress } from './listen-address.ts'
import type { Raw, Settings } from './setting.ts'

export interface OperatorConfig {
  /** Address and port of the operator console. Undefined: its process is not started. */
  operatorListen: string | undefined
}

/** The console has no TLS, and answers requests to these names and to `localhost` alone. */
const form = /^(127\.0\.0\.1|\[::1\]):[1-9]\d{0,4}$/
const portMax = 65_535

export const operatorSettings: Settings<OperatorConfig> = {
  operatorListen: {
    env: 'SANDBOX_OPERATOR_LISTEN',
    description: '127.0.0.1 or [::1] and port of the operator console; default: nowhere',
    fallback: () => undefined,
    expected: '127.0.0.1:PORT or [::1]:PORT, because the operator console has no TLS',
    parse: (raw: Raw) => {
      const text = String(raw)
      return form.test(text) && listenAddress(text).port <= portMax ? text : undefined
    },
  },
}
