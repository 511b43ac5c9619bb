import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Listens on a free port and hands the socket to whoever connects to the path. Node can hold no socket without accepting from it. */
const holder = `
import socket, sys
held = socket.create_server(('127.0.0.1', 0), backlog=4096)
handing = socket.socket(socket.AF_UNIX)
handing.bind(sys.argv[1])
handing.listen()
print(held.getsockname()[1], flush=True)
while True:
    with handing.accept()[0] as taker:
        socket.send_fds(taker, [b'.'], [held.fileno()])
`
/** Takes the socket as systemd passes that of a socket unit, and becomes the command. */
const taker = `
import os, socket, sys
with socket.socket(socket.AF_UNIX) as handing:
    handing.connect(sys.argv[1])
    taken = socket.recv_fds(handing, 1, 1)[1][0]
if taken != 3:
    os.dup2(taken, 3)
    os.close(taken)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
`

/** A listening socket that stays open while services come and go, as systemd holds that of a socket unit. */
export interface HeldListener {
  port: number
  /** A command that starts its arguments as a service with the socket. */
  wrapper: string[]
  close(): Promise<void>
}

export async function holdListener(): Promise<HeldListener> {
  const folder = await mkdtemp(join(tmpdir(), 'held-listener-'))
  const path = join(folder, 'socket')
  const child = spawn('python3', ['-c', holder, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'close')
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    port: Number(port),
    wrapper: ['python3', '-c', taker, path],
    close: async () => {
      child.kill()
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
