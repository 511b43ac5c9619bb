import { afterAll, expect, it } from 'vitest'
import { startMailServer } from '../../../testing/mail-server.ts'
import { systemClock } from '../../base/clock.ts'
import { testMailBy } from './operator-mail.ts'

const server = await startMailServer()
afterAll(() => server.close())
const test = (to: string, settings = {}) => testMailBy({ ...server.settings, ...settings }, to, systemClock)

it('sends an e-mail to the address, and names the server that took it', async () => {
  expect(await test('ada@people.test')).toEqual({
    ok: true,
    value: { server: expect.stringMatching(/^127\.0\.0\.1:\d+$/), address: 'ada@people.test' },
  })
  expect(server.mails.map(({ to }) => to)).toEqual(['ada@people.test'])
})

it('says what the server answered, or that there is none', async () => {
  server.answers['no@people.test'] = [550]
  expect(await test('no@people.test')).toMatchObject({
    cause: 'server',
    problem: expect.stringContaining('refused, answer 550'),
  })
  expect(await test('ada@people.test', { mailServer: undefined })).toMatchObject({ cause: 'settings' })
  expect(await test('ada@people.test, eve@people.test')).toMatchObject({ cause: 'request' })
  expect(server.mails).toHaveLength(1)
})
