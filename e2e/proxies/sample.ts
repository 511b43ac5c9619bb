import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout } from '../main-job/service.ts'

/** The values in the samples that an operator changes. */
export interface SampleSettings {
  /** Where the proxy listens, as localhost on loopback. */
  port: number
  /** Of the service. */
  servicePort: number
  certificate: string
  key: string
  logFolder: string
}

/** The sample for nginx with the settings of one machine. */
export async function nginxSample(settings: SampleSettings): Promise<string> {
  return filled(await sample('nginx.conf'), {
    ...shared(settings),
    'listen 443 ssl': `listen 127.0.0.1:${settings.port} ssl`,
    'server_name sandbox.example.com': 'server_name localhost',
    '/var/log/nginx': settings.logFolder,
  })
}

/** The sample for Caddy with the settings of one machine. */
export async function caddySample(settings: SampleSettings): Promise<string> {
  return filled(await sample('Caddyfile'), {
    ...shared(settings),
    // No API to change it, and no listener on port 80.
    '\n{\n': '\n{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n',
    '\nsandbox.example.com {': `\nhttps://localhost:${settings.port} {`,
  })
}

const sample = (name: string) => readFile(join(checkout, 'examples/proxy', name), 'utf8')

const shared = ({ servicePort, certificate, key }: SampleSettings) => ({
  '127.0.0.1:8080': `127.0.0.1:${servicePort}`,
  '/etc/ssl/sandbox.pem': certificate,
  '/etc/ssl/sandbox.key': key,
})

/** Throws if one of the texts is not exactly once in the sample. */
function filled(text: string, changes: Record<string, string>): string {
  let result = text
  for (const [from, to] of Object.entries(changes)) {
    if (result.split(from).length !== 2) throw new Error(`the sample does not have once: ${from}`)
    result = result.replace(from, to)
  }
  return result
}
