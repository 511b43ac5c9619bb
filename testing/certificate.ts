import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate for localhost that is its own authority, and its key, both as PEM. */
export function makeCertificate(days: number): { certificate: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [certificate, key] = [join(folder, 'certificate'), join(folder, 'key')]
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days), ...subject]
    execFileSync('openssl', [...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
