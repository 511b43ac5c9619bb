import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test, vi } from 'vitest'
import { tellServiceManager } from './service-manager.ts'

/** Node has no datagram sockets of this kind. */
const manager = `
import socket, sys
end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
end.bind(sys.argv[1])
print('listens', flush=True)
print(end.recv(1000).decode().strip(), flush=True)
end.recv(1000)
`

afterEach(() => {
  vi.unstubAllEnvs()
})

test('systemd is told the state of the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'service-manager-'))
  const socket = join(folder, 'notify')
  const listener = spawn('python3', ['-c', manager, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: listener.stdout })[Symbol.asyncIterator]()
  expect(await lines.next()).toMatchObject({ value: 'listens' })
  vi.stubEnv('NOTIFY_SOCKET', socket)
  await tellServiceManager('READY=1')
  expect(await lines.next()).toMatchObject({ value: 'READY=1' })
  await rm(folder, { recursive: true })
})
