import { askVault, type VaultAnswer, type VaultOptions } from './vault-client.ts'
import { KeysUnavailable, type WrappedKey, WrappedKeyRefused, type WrappingKeys } from './wrapping-keys.ts'

/*
 * Key-encryption keys in the transit engine of HashiCorp Vault, or of OpenBao: data keys go there to be wrapped, and the
 * key itself never leaves it. The context goes along as `associated_data` (Vault 1.14 and later). Its policy may give the
 * API `update` on encrypt/KEY alone, and the worker on decrypt/KEY alone.
 *
 * Anything but an answer that is wholly understood counts as no answer: Vault decides whether a secret is readable, and
 * nothing in front of it may make that up.
 */

const wrappedForm = /^vault:v(?<version>[1-9]\d{0,8}):(?<sealed>[A-Za-z0-9+/]+={0,2})$/
const base64Form = /^[A-Za-z0-9+/]+={0,2}$/
const dataKeyBytes = 32

export class VaultKeys implements WrappingKeys {
  readonly prefix = 'vault'
  readonly #options: VaultOptions

  constructor(options: VaultOptions) {
    this.#options = options
  }

  async presentId(): Promise<string> {
    const { latest_version: version } = dataOf(await askVault(this.#options, 'GET', `keys/${this.#key}`))
    if (!Number.isSafeInteger(version) || Number(version) < 1) throw notUnderstood()
    return `${this.prefix}:${version}`
  }

  async wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey> {
    const { ciphertext } = dataOf(
      await askVault(this.#options, 'POST', `encrypt/${this.#key}`, {
        plaintext: dataKey.toString('base64'),
        associated_data: context.toString('base64'),
      }),
    )
    const version = wrappedForm.exec(String(ciphertext))?.groups?.version
    if (version === undefined) throw notUnderstood()
    return { keyId: `${this.prefix}:${version}`, bytes: Buffer.from(String(ciphertext)) }
  }

  async unwrap({ keyId, bytes }: WrappedKey, context: Buffer): Promise<Buffer> {
    const ciphertext = bytes.toString('latin1')
    const version = wrappedForm.exec(ciphertext)?.groups?.version
    if (version === undefined || keyId !== `${this.prefix}:${version}`) throw new WrappedKeyRefused()
    const answer = await askVault(this.#options, 'POST', `decrypt/${this.#key}`, {
      ciphertext,
      associated_data: context.toString('base64'),
    })
    // Vault answers 400 to what does not open, and to requests that it does not understand.
    if (answer.status === 400 && isOpeningFailure(answer)) throw new WrappedKeyRefused()
    const { plaintext } = dataOf(answer)
    const opened = base64Form.test(String(plaintext)) ? Buffer.from(String(plaintext), 'base64') : undefined
    if (opened?.length !== dataKeyBytes) throw notUnderstood()
    return opened
  }

  async rotate(): Promise<string> {
    const answer = await askVault(this.#options, 'POST', `keys/${this.#key}/rotate`, {})
    if (answer.status !== 204 && answer.status !== 200) throw refusedBy(answer)
    return this.presentId()
  }

  get #key(): string {
    return encodeURIComponent(this.#options.key)
  }
}

const notUnderstood = () => new KeysUnavailable('Vault answered what cannot be understood')

/** The status alone: what else it says may quote what it was sent. */
const refusedBy = ({ status }: VaultAnswer) => new KeysUnavailable(`Vault answered ${status}`)

function dataOf(answer: VaultAnswer): Record<string, unknown> {
  if (answer.status !== 200) throw refusedBy(answer)
  const data = answer.body?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw notUnderstood()
  return data as Record<string, unknown>
}

const openingFailures = ['message authentication failed', 'invalid ciphertext', 'unable to decrypt']

const isOpeningFailure = ({ body }: VaultAnswer): boolean =>
  Array.isArray(body?.errors) &&
  body.errors.some((text) => openingFailures.some((known) => String(text).includes(known)))
