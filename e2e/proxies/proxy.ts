import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../../testing/certificate.ts'
import { unpackedPackage } from '../../testing/unpacked-package.ts'
import { caddySample, nginxSample, type SampleSettings } from './sample.ts'

const pollMs = 50

export const proxyNames = ['nginx', 'caddy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface StartedProxy {
  /** The certificate that it shows. */
  certificateFile: string
  ca: Buffer
  stop(): Promise<void>
}

/**
 * Starts Debian's program with the sample, with a certificate for localhost that is good for so many days. `folder` is empty; `output`
 * in it is what it printed.
 */
export async function startProxy(
  name: ProxyName,
  folder: string,
  { days, ...ports }: { port: number; servicePort: number; days: number },
): Promise<StartedProxy> {
  const files = { certificate: join(folder, 'sandbox.pem'), key: join(folder, 'sandbox.key') }
  const { certificate, key } = makeCertificate(days)
  await writeFile(files.certificate, certificate)
  await writeFile(files.key, key, { mode: 0o600 })
  const [command, ...args] = await programs[name](folder, { ...ports, ...files, logFolder: folder })
  const child = spawn(command, args, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = createWriteStream(join(folder, 'output'))
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  const exited = once(child, 'close')
  while (!(await accepts(ports.port))) {
    if (child.exitCode !== null)
      throw new Error(`${name} has ended:\n${await readFile(join(folder, 'output'), 'utf8')}`)
    await sleep(pollMs)
  }
  return {
    certificateFile: files.certificate,
    ca: Buffer.from(certificate),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** They write the configuration and return the command. */
const programs: Record<
  ProxyName,
  (folder: string, settings: SampleSettings) => Promise<[string, ...string[]]>
> = {
  nginx: async (folder, settings) => {
    const site = join(folder, 'site.conf')
    await writeFile(site, await nginxSample(settings))
    const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, 'temporary', kind)};`,
    )
    await mkdir(join(folder, 'temporary'))
    const main = [
      `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}`,
      `http { ${bodies.join(' ')} include ${site}; }`,
    ]
    await writeFile(join(folder, 'nginx.conf'), main.join('\n'))
    const program = join(await unpackedPackage('nginx'), 'usr/sbin/nginx')
    return [program, '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  },
  caddy: async (folder, settings) => {
    const site = join(folder, 'Caddyfile')
    await writeFile(site, await caddySample(settings))
    const program = join(await unpackedPackage('caddy'), 'usr/bin/caddy')
    return [program, 'run', '--config', site, '--adapter', 'caddyfile']
  },
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
