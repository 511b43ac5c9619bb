import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const command = join(import.meta.dirname, '../../../../sandbox')
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: '/nonexistent/sandbox-jobs' }
/** Where systemd has its files it has none, whatever started this machine. */
const withoutSystemd = ['--mount', 'sh', '-c', 'mount -t tmpfs none /run && exec "$@"', 'sh']

test.each([[[]], [['--remove']]])('without systemd no units are installed or removed: %s', (options) => {
  const argv = [...withoutSystemd, command, 'operator', 'install-unit', '--json', ...options]
  const { status, stderr } = spawnSync('unshare', argv, { env, encoding: 'utf8' })
  expect(status).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'cli_operator_request', message: expect.stringContaining('with sandbox up') },
  })
})
