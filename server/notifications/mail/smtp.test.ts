import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { type MailServerOptions, startMailServer, type TestMailServer } from '../../../testing/mail-server.ts'
import { configuredMailServer, type MailServer, mailServerProblem, sendMail } from './smtp.ts'

const mail = {
  id: 'mal_1',
  to: 'ada@people.test',
  subject: 'Report: completed',
  body: 'Report: completed\n',
  at: new Date(0),
}
let server: TestMailServer
afterEach(() => server.close())

async function start(options: MailServerOptions = {}): Promise<MailServer> {
  server = await startMailServer(options)
  return { ...(configuredMailServer(server.settings) as MailServer), timeoutMs: 8000 }
}
const fileWith = (content: string): string => {
  const path = `${testFolder()}/file`
  writeFileSync(path, content)
  return path
}

describe('an SMTP server', () => {
  it.each(['starttls', 'implicit', 'none'] as const)(
    'takes an e-mail with TLS as configured: %s',
    async (tls) => {
      const reached = await start({ tls })
      expect(await mailServerProblem(reached)).toBeNull()
      expect(server.mails).toEqual([])
      expect(await sendMail(reached, mail)).toEqual({ outcome: 'sent', status: 250, error: null })
      expect(server.mails[0]?.isEncrypted).toBe(tls !== 'none')
    },
  )

  it('without TLS gets nothing where TLS is required, not even the login', async () => {
    const reached = { ...(await start({ tls: 'none' })), tls: 'required' as const }
    expect(await sendMail(reached, mail)).toMatchObject({ outcome: 'failed', error: 'tls' })
    expect(await mailServerProblem(reached)).toMatch(/^tls/)
  })

  it.each(['starttls', 'implicit'] as const)(
    'whose certificate nobody known has signed gets nothing: %s',
    async (tls) => {
      const reached = { ...(await start({ tls })), caFile: undefined }
      expect(await sendMail(reached, mail)).toMatchObject({ outcome: 'failed', error: 'tls' })
      expect(server.attempts).toEqual([])
    },
  )

  it('that refuses the login is a failure that may pass, as a new password needs no restart', async () => {
    const reached = { ...(await start()), loginFile: fileWith('sandbox:wrong') }
    expect(await sendMail(reached, mail)).toMatchObject({
      outcome: 'failed',
      error: 'login_refused',
      status: 535,
    })
    expect(await mailServerProblem(reached)).toBe('login_refused (535)')
    writeFileSync(reached.loginFile, 'sandbox:s3cret\n')
    expect(await sendMail(reached, mail)).toMatchObject({ outcome: 'sent' })
  })

  it.each([
    ['no password', 'login_file_invalid'],
    [undefined, 'file_unreadable'],
  ])('is not reached with a login file that has %s', async (content, error) => {
    const loginFile = content === undefined ? '/nowhere/login' : fileWith(content)
    const reached = { ...(await start()), loginFile }
    expect(await sendMail(reached, mail)).toEqual({ outcome: 'failed', status: null, error })
  })

  it('that says nothing is left after the time', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    const reached = await start()
    const { port } = silent.address() as { port: number }
    expect(await sendMail({ ...reached, port, timeoutMs: 400 }, mail)).toMatchObject({ error: 'timeout' })
    silent.close()
  })

  it('that is not there is a failure that may pass', async () => {
    const reached = { ...(await start()), port: 9 }
    expect(await sendMail(reached, mail)).toMatchObject({ outcome: 'failed', error: 'connection_refused' })
  })
})
