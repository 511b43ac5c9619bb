// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables look like this
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import { sandboxRuntimes } from '../../port/sandbox-spec.ts'

/* The image that its author built, as a program finds it. */

let agent: TestAgent
let empty: string
let withUsers: string

const passwd = [
  'root:x:0:0:root:/root:/bin/sh',
  'app:x:1000:1000:,,,:/home/app:/bin/sh',
  'again:x:1000:1000::/home/again:/bin/sh',
  'moved:x:1001:1001::/home/moved:/bin/sh',
  'short:x:1002',
  'signed:x:+1003:1003::/home/app:/bin/sh',
].join('\n')

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
  withUsers = await agent.image([
    [{ name: 'etc/passwd' }, passwd],
    [{ name: 'root', type: 'directory', mode: 0o700 }],
    [{ name: 'home/app', type: 'directory', mode: 0o755, uid: 1000, gid: 1000 }],
    [{ name: 'home/app/model', uid: 1000, gid: 1000 }, 'of the build'],
  ])
})
afterAll(() => agent.dispose())

const shown = 'echo "$HOME ${USER-none} ${LOGNAME-none}"; touch ~/new && cat ~/model 2>/dev/null; true'

test.each(
  sandboxRuntimes.flatMap(
    (runtime) =>
      [
        [runtime, 'root', 0, '/root root root\n'],
        [runtime, 'a user with a home', 1000, '/home/app app app\nof the build'],
        [runtime, 'a user whose home is missing', 1001, '/workspace moved moved\n'],
        [runtime, 'a user of an incomplete entry', 1002, '/workspace none none\n'],
        [runtime, 'a user whose id is no number', 1003, '/workspace none none\n'],
      ] as const,
  ),
)('on %s, %s finds the home that the image names', async (runtime, _who, uid, expected) => {
  const job = { ...shellJob(withUsers, shown, { runtime }), user: { uid, gid: uid } }
  expect((await agent.run(job)).log).toBe(expected)
})

test.each(sandboxRuntimes)('on %s, an image without accounts has its home at the top', async (runtime) => {
  expect((await agent.run(shellJob(empty, shown, { runtime }))).log).toBe('/ none none\n')
})

test.each(sandboxRuntimes)('on %s, a HOME of the specification stays', async (runtime) => {
  const job = { ...shellJob(withUsers, shown, { runtime }), env: { HOME: '/tmp' } }
  expect((await agent.run(job)).log).toBe('/tmp none none\n')
})

test.each(
  sandboxRuntimes.flatMap(
    (runtime) =>
      [
        [runtime, 'a pipe', { name: 'etc/passwd', type: 'fifo' }],
        [runtime, 'a link to a device', { name: 'etc/passwd', type: 'symlink', linkname: '/dev/zero' }],
        [runtime, 'a folder', { name: 'etc/passwd', type: 'directory' }],
      ] as const,
  ),
)(
  'on %s, %s instead of the accounts does not keep a program from starting',
  async (runtime, _what, entry) => {
    const image = await agent.image([[entry]])
    expect((await agent.run(shellJob(image, shown, { runtime }))).log).toBe('/ none none\n')
  },
)

const serve = `
  echo served >index.html
  /.sandbox/busybox httpd -p 80 -h /workspace && /.sandbox/busybox wget -q -O - http://127.0.0.1/`

test.each(
  sandboxRuntimes.flatMap(
    (runtime) =>
      [
        [runtime, 0],
        [runtime, 1000],
      ] as const,
  ),
)('on %s, user %i serves at port 80', async (runtime, uid) => {
  const { log } = await agent.run({ ...shellJob(empty, serve, { runtime }), user: { uid, gid: uid } })
  expect(log).toBe('served\n')
})
