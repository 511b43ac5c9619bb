import { readFile } from 'node:fs/promises'
import type { Config } from '../../base/config/config.ts'
import { isTlsFailure } from '../../base/guarded-requests/guarded-request.ts'
import type { MailText } from './mail-text.ts'

/* One e-mail to the operator's SMTP server, over a connection of its own, within a time. */

/** The operator's server. */
export interface MailServer {
  host: string
  port: number
  /** `implicit`: from the first byte; `required`: STARTTLS before anything else is said; `none`: never. */
  tls: 'implicit' | 'required' | 'none'
  from: string
  /** Read for each connection, so that a new password needs no restart. */
  loginFile: string | undefined
  caFile: string | undefined
  timeoutMs: number
}

const timeoutMs = 60_000

export type MailServerSettings = Pick<
  Config,
  'baseUrl' | 'mailServer' | 'mailTls' | 'mailLoginFile' | 'mailCaFile' | 'mailFrom'
>

/** Undefined where the operator has configured none. */
export function configuredMailServer(config: MailServerSettings): MailServer | undefined {
  if (config.mailServer === undefined) return undefined
  const { protocol, hostname, port } = new URL(config.mailServer)
  const isImplicit = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isImplicit ? 465 : 587) : Number(port),
    tls: isImplicit ? 'implicit' : config.mailTls,
    from: config.mailFrom ?? `sandbox-jobs@${new URL(config.baseUrl).hostname}`,
    loginFile: config.mailLoginFile,
    caFile: config.mailCaFile,
    timeoutMs,
  }
}

export interface Mail extends MailText {
  /** Names the e-mail in its Message-ID, the same in each attempt. */
  id: string
  to: string
  at: Date
}

/** `refused`: the server will never take it. `failed`: another attempt may help. */
export type MailResult =
  | { outcome: 'sent'; status: number; error: null }
  | { outcome: 'refused' | 'failed'; status: number | null; error: string }

export async function sendMail(server: MailServer, mail: Mail): Promise<MailResult> {
  try {
    const transport = await connectionTo(server)
    const sent = await transport.sendMail({
      from: { name: 'Sandbox Jobs', address: server.from },
      to: { name: '', address: mail.to },
      envelope: { from: server.from, to: [mail.to] },
      subject: mail.subject,
      text: mail.body,
      date: mail.at,
      messageId: `<${mail.id}@${server.from.slice(server.from.lastIndexOf('@') + 1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      signal: AbortSignal.timeout(server.timeoutMs),
    })
    return { outcome: 'sent', status: Number.parseInt(sent.response, 10), error: null }
  } catch (error) {
    return failureOf(error)
  }
}

/** Connects, encrypts and logs in, and sends nothing. Null, or why that failed. */
export async function mailServerProblem(server: MailServer): Promise<string | null> {
  try {
    const transport = await connectionTo(server)
    await transport.verify()
    return null
  } catch (error) {
    const { error: slug, status } = failureOf(error)
    return status === null ? String(slug) : `${slug} (${status})`
  }
}

async function connectionTo(server: MailServer) {
  const { host, port, tls, loginFile, caFile } = server
  const [login, ca] = await Promise.all([
    loginFile === undefined ? undefined : readLogin(loginFile),
    caFile === undefined ? undefined : readFile(caFile),
  ])
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'none',
    tls: { rejectUnauthorized: true, ...(ca && { ca }) },
    ...(login && { auth: login, forceAuth: true }),
    connectionTimeout: server.timeoutMs / 4,
    greetingTimeout: server.timeoutMs / 4,
    socketTimeout: server.timeoutMs / 2,
    dnsTimeout: server.timeoutMs / 4,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

class LoginFileInvalid extends Error {}

/** The login in the text of a file: `USER:PASSWORD` in one line. Undefined: it has another form. */
export function parseLogin(text: string): { user: string; pass: string } | undefined {
  const [, user, pass] = /^([^:\n]+):(.+)$/.exec(text.trim()) ?? []
  return user === undefined || pass === undefined ? undefined : { user, pass }
}

async function readLogin(path: string): Promise<{ user: string; pass: string }> {
  const login = parseLogin(await readFile(path, 'utf8'))
  if (!login) throw new LoginFileInvalid('no USER:PASSWORD in one line')
  return login
}

const slugs: Record<string, string> = {
  EAUTH: 'login_refused',
  ENOAUTH: 'login_refused',
  ETLS: 'tls',
  EDNS: 'name_not_found',
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
  ECONNECTION: 'connection_failed',
  ESOCKET: 'connection_failed',
  EPROTOCOL: 'not_smtp',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOENT: 'file_unreadable',
  EACCES: 'file_unreadable',
}

/** An error of nodemailer or of the file system. */
interface MailError {
  code?: string
  /** Of the system's error below it. */
  originalCode?: string
  responseCode?: number
  command?: string
}

/** An answer of the server about this recipient or this e-mail ends it where the answer is permanent; all else may pass. */
function failureOf(error: unknown): MailResult & { outcome: 'refused' | 'failed' } {
  if (error instanceof LoginFileInvalid)
    return { outcome: 'failed', status: null, error: 'login_file_invalid' }
  const { code = '', originalCode = '', responseCode, command = '' } = error as MailError
  const status = responseCode ?? null
  if (command === 'MAIL FROM') return { outcome: 'failed', status, error: 'sender_refused' }
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isAboutMail) {
    const isPermanent = status !== null && status >= 500
    return {
      outcome: isPermanent ? 'refused' : 'failed',
      status,
      error: isPermanent ? 'refused' : 'deferred',
    }
  }
  const slug = isTlsFailure(originalCode)
    ? 'tls'
    : (slugs[originalCode] ?? slugs[code] ?? 'connection_failed')
  return { outcome: 'failed', status, error: slug }
}
