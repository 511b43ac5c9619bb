import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string
  /** As it came. */
  raw: string
  /** The first header of this name, unfolded. */
  header(name: string): string | undefined
  isEncrypted: boolean
  user: string | undefined
}

/** The answer of the server at one step: an SMTP status, or nothing, for ever. Otherwise it accepts. */
export type MailAnswer = number | 'hang'

export interface MailServerOptions {
  tls?: 'starttls' | 'implicit' | 'none'
}

/** `USER:PASSWORD` that the server accepts. */
export const mailLogin = 'sandbox:s3cret'

/** An SMTP server on loopback with a certificate for 127.0.0.1. It accepts e-mail after a login only. */
export async function startMailServer({ tls = 'starttls' }: MailServerOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-mail-'))
  // A service under test reads the login as another user.
  chmodSync(folder, 0o755)
  const [keyFile, caFile, loginFile] = ['key.pem', 'cert.pem', 'login'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=mail.test']
  const name = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', caFile]
  execFileSync('openssl', [...made, ...name], { stdio: 'ignore' })
  writeFileSync(loginFile, `${mailLogin}\n`)
  const mails: ReceivedMail[] = []
  /** By address of the recipient, in order of attempts; the last one stays. */
  const answers: Record<string, MailAnswer[]> = {}
  /** Addresses whose connection ends after the e-mail has come, before the answer; once each. */
  const broken = new Set<string>()
  const attempts: string[] = []
  const hanging = new Set<() => void>()
  const connections = new Set<string>()
  let most = 0
  const server = new SMTPServer({
    secure: tls === 'implicit',
    key: readFileSync(keyFile),
    cert: readFileSync(caFile),
    hideSTARTTLS: tls === 'none',
    disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
    allowInsecureAuth: tls === 'none',
    disableReverseLookup: true,
    onConnect: ({ id }, done) => {
      connections.add(id)
      most = Math.max(most, connections.size)
      done()
    },
    onClose: ({ id }) => void connections.delete(id),
    onAuth: ({ username, password }, _session, done) => {
      if (`${username}:${password}` === mailLogin) done(null, { user: String(username) })
      else done(new Error('wrong password'))
    },
    onRcptTo: ({ address }, _session, done) => {
      attempts.push(address)
      const [next, ...later] = answers[address] ?? []
      if (later.length > 0) answers[address] = later
      if (next === 'hang') hanging.add(done)
      else if (next === undefined || next < 400) done()
      else done(Object.assign(new Error('no'), { responseCode: next }))
    },
    onData: (stream, session, done) => {
      void buffer(stream).then((bytes) => {
        const [to] = session.envelope.rcptTo.map(({ address }) => address)
        const from = session.envelope.mailFrom
        if (!to || !from) return done(new Error('no envelope'))
        const raw = bytes.toString()
        const header = (wanted: string) =>
          new RegExp(`^${wanted}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(raw)?.[1]?.replaceAll(/\r\n[ \t]/g, ' ')
        mails.push({ from: from.address, to, raw, header, isEncrypted: session.secure, user: session.user })
        if (!broken.delete(to)) return done()
        for (const connection of server.connections) connection.close()
        // A sender that is killed breaks off in the middle: nothing has come.
      }, done)
    },
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    mails,
    answers,
    attempts,
    broken,
    hanging,
    mostConnections: () => most,
    /** Settings that lead to it. */
    settings: {
      mailServer: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
      mailTls: tls === 'none' ? ('none' as const) : ('required' as const),
      mailLoginFile: loginFile,
      mailCaFile: caFile,
      mailFrom: 'jobs@sandbox.test',
      baseUrl: 'https://jobs.sandbox.test',
    },
    close: async () => {
      for (const end of hanging) end()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      rmSync(folder, { recursive: true })
    },
  }
}

export type TestMailServer = Awaited<ReturnType<typeof startMailServer>>
