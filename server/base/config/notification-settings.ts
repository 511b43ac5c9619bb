import { parseAddressRange } from '../addresses/address-range.ts'
import { absolutePath, oneOf, type Settings, text, url } from './setting.ts'

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

/** E-mail of notifications. */
export interface MailConfig {
  /** `smtp://HOST[:PORT]` or `smtps://HOST[:PORT]`; absent: no e-mail. */
  mailServer: string | undefined
  /** `required`: over `smtp:` nothing is sent before STARTTLS. */
  mailTls: 'required' | 'none'
  /** File with `user:password` for that server, in one line. */
  mailLoginFile: string | undefined
  /** PEM file of the certificate authority of that server. */
  mailCaFile: string | undefined
  /** Absent: an address at the host of the service. */
  mailFrom: string | undefined
  /** Prefix of the pages that notifications link to; absent: e-mails link to none. */
  consoleUrl: string | undefined
}

export const mailAddressPattern =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,187}[A-Za-z0-9])?$/

export const mailSettings: Settings<MailConfig> = {
  mailServer: {
    env: 'SANDBOX_MAIL_SERVER',
    description:
      'SMTP server that sends the e-mails of notifications: smtp://HOST:PORT (STARTTLS, port 587) or smtps://HOST:PORT (TLS at once, port 465); without it none are sent',
    fallback: () => undefined,
    ...text(
      /^smtps?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[1-9][0-9]{0,4})?$/,
      'smtp://HOST:PORT or smtps://HOST:PORT',
    ),
  },
  mailTls: {
    env: 'SANDBOX_MAIL_TLS',
    description:
      'whether STARTTLS is required with smtp://; none: neither e-mails nor the login are encrypted, for a server on this machine',
    fallback: () => 'required',
    ...oneOf('required', 'none'),
  },
  mailLoginFile: {
    env: 'SANDBOX_MAIL_LOGIN_FILE',
    description: "file with USER:PASSWORD for that server, readable by the worker's user",
    fallback: () => undefined,
    ...absolutePath,
  },
  mailCaFile: {
    env: 'SANDBOX_MAIL_CA_FILE',
    description: 'PEM file of the certificate authority of that server',
    fallback: () => undefined,
    ...absolutePath,
  },
  mailFrom: {
    env: 'SANDBOX_MAIL_FROM',
    description: 'address that e-mails are from; default sandbox-jobs@ and the host of SANDBOX_BASE_URL',
    fallback: () => undefined,
    ...text(mailAddressPattern, 'an e-mail address'),
  },
  consoleUrl: {
    env: 'SANDBOX_CONSOLE_URL',
    description:
      'address of the console, below which e-mails link to the page about an event; without it they have no links',
    fallback: () => undefined,
    ...url,
  },
}
