import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { newRequestId } from '../../server/base/ids.ts'
import { bits, boolean, der, identifier, octets, pem, sequence, set, time, unsigned, utf8 } from './der.ts'

/** The name for which a gateway has its certificate, at whatever address a pod reaches it. */
export const gatewayName = 'sandbox-gateway'

const authorityName = 'sandbox-jobs gateway authority'
/** Both ends of what certificates can say: the key is the authority until an operator replaces it. */
const always = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59Z') }
const dayMs = 86_400_000
const lifeMs = 365 * dayMs
/** The clock of a node may be behind. */
const earlierMs = dayMs

export interface Certificate {
  certificate: string
  key: string
}

/** The authority of a deployment's gateways, from its private key on P-256 as PEM. Every worker with that key is the same authority. */
export class GatewayAuthority {
  readonly #key: KeyObject
  /** By it a collector proves its gateway. */
  readonly certificate: string

  constructor(privateKey: string) {
    this.#key = createPrivateKey(privateKey)
    const own = createPublicKey(this.#key)
    const extensions = [
      extension('2.5.29.19', true, sequence(boolean(true))),
      // Signs certificates, and nothing else.
      extension('2.5.29.15', true, bits(Buffer.of(0x04), 2)),
    ]
    this.certificate = this.#signed({ of: own, name: authorityName, valid: always, extensions })
  }

  /** A certificate for a gateway, with a key that is in this process alone. */
  issue(now: Date): Certificate {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const name = der(0x82, Buffer.from(gatewayName, 'latin1'))
    const extensions = [
      extension('2.5.29.17', false, sequence(name)),
      // Signs handshakes of servers, and nothing else.
      extension('2.5.29.15', true, bits(Buffer.of(0x80), 7)),
      extension('2.5.29.37', false, sequence(identifier('1.3.6.1.5.5.7.3.1'))),
    ]
    const valid = { from: new Date(now.getTime() - earlierMs), to: new Date(now.getTime() + lifeMs) }
    return {
      certificate: this.#signed({ of: publicKey, name: gatewayName, valid, extensions }),
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    }
  }

  #signed({ of, name, valid, extensions }: CertificateParts): string {
    const body = sequence(
      der(0xa0, unsigned(Buffer.of(2))),
      unsigned(serialNumber()),
      ecdsaWithSha256,
      nameOf(authorityName),
      sequence(time(valid.from), time(valid.to)),
      nameOf(name),
      of.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions)),
    )
    const signature = sign('sha256', body, this.#key)
    return pem('CERTIFICATE', sequence(body, ecdsaWithSha256, bits(signature)))
  }
}

interface CertificateParts {
  of: KeyObject
  name: string
  valid: { from: Date; to: Date }
  extensions: Buffer[]
}

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'))

/** Positive, and without a leading zero byte. */
const serialNumber = (): Buffer => Buffer.concat([Buffer.of(0x40), Buffer.from(newRequestId(), 'hex')])

const nameOf = (text: string): Buffer => sequence(set(sequence(identifier('2.5.4.3'), utf8(text))))

const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(identifier(id), ...(isCritical ? [boolean(true)] : []), octets(value))

export const newAuthorityKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
