import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClosingListener } from '../../../testing/agent/closing-listener.ts'
import { findShim, requestStop } from './shim.ts'

/** Takes a few seconds; an unhandled `read ECONNRESET` occurs within the first hundred. */
const connections = 2_000
const atOnce = 64

test('a connection to a shim that exits at that moment counts as gone, and does not crash the caller', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shim-'))
  const listener = new ClosingListener(join(folder, 'ctl'))
  let made = 0
  const ask = async () => {
    while (made < connections) {
      if (made % 2 === 0) {
        if (await requestStop(folder)) made += 1
      } else {
        const shim = await findShim(folder)
        if (!shim) continue
        made += 1
        await shim.gone
        expect(shim.hasEnded()).toBe(true)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, ask))
    expect(made).toBeGreaterThanOrEqual(connections)
  } finally {
    await listener.close()
    await rm(folder, { recursive: true, force: true })
  }
})

test('a shim that takes no connection now is not taken for one that has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shim-'))
  const program = `import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(0)
print(flush=True)
sys.stdin.read()`
  const busy = spawn('python3', ['-c', program, join(folder, 'ctl')], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await once(busy.stdout, 'data')
    const waiting = await findShim(folder)
    await expect(findShim(folder)).rejects.toMatchObject({ code: 'EAGAIN' })
    await expect(requestStop(folder)).rejects.toMatchObject({ code: 'EAGAIN' })
    busy.stdin.end()
    await waiting?.gone
    expect(await findShim(folder)).toBeUndefined()
  } finally {
    busy.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
