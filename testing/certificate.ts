import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A certificate for localhost, or another name, that is its own authority, and its key, both as PEM. One that has ended has a negative number of days, which
 * only the signing of a request takes.
 */
export function makeCertificate(days: number, host = 'localhost'): { certificate: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [request, certificate, key] = [
    join(folder, 'request'),
    join(folder, 'certificate'),
    join(folder, 'key'),
  ]
  const openssl = (...argv: string[]) => execFileSync('openssl', argv, { stdio: 'ignore' })
  try {
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, ...subject, '-out', request)
    const signed = ['-days', String(days), '-in', request, '-signkey', key, '-copy_extensions', 'copy']
    openssl('x509', '-req', ...signed, '-out', certificate)
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
