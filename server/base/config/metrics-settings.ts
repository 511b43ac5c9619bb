import { type Settings, text } from './setting.ts'

export interface MetricsConfig {
  /** Address and port where metrics are served, without login. Undefined: nowhere. */
  metricsListen: string | undefined
}

export const metricsSettings: Settings<MetricsConfig> = {
  metricsListen: {
    env: 'SANDBOX_METRICS_LISTEN',
    description: 'address and port where metrics are served, without login; default: nowhere',
    fallback: () => undefined,
    ...text(
      /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):[1-9]\d{0,4}$/,
      'an address and a port such as 127.0.0.1:9464',
    ),
  },
}
