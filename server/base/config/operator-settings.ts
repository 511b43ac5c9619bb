import { listenAddress } from './listen-address.ts'
import type { Raw, Settings } from './setting.ts'

export interface OperatorConfig {
  /** Loopback address and port of the operator console. Undefined: its process is not started. */
  operatorListen: string | undefined
}

const form = /^(127(\.\d{1,3}){3}|\[::1\]):[1-9]\d{0,4}$/
const portMax = 65_535

export const operatorSettings: Settings<OperatorConfig> = {
  operatorListen: {
    env: 'SANDBOX_OPERATOR_LISTEN',
    description: 'loopback address and port of the operator console; default: nowhere',
    fallback: () => undefined,
    expected: 'a loopback address and a port such as 127.0.0.1:8079',
    parse: (raw: Raw) => {
      const text = String(raw)
      return form.test(text) && listenAddress(text).port <= portMax ? text : undefined
    },
  },
}
