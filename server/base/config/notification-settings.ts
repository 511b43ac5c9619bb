import { parseAddressRange } from '../addresses/address-range.ts'
import type { Settings } from './setting.ts'

/** Where notifications may go. */
export interface NotificationConfig {
  /** Inner ranges that webhooks may connect to. */
  webhookInnerRanges: string[]
}

export const notificationSettings: Settings<NotificationConfig> = {
  webhookInnerRanges: {
    env: 'SANDBOX_WEBHOOK_INNER_RANGES',
    description:
      'inner addresses that webhooks of all companies may connect to, also without TLS, as ranges with commas between them; others are refused',
    fallback: () => [],
    expected: 'ranges such as 10.20.0.0/16,192.168.7.9/32',
    parse: (raw) => {
      const ranges = String(raw)
        .split(',')
        .map((range) => range.trim())
      return ranges.every((range) => parseAddressRange(range) !== undefined) ? ranges : undefined
    },
  },
}
