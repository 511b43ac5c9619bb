const wrapping = { name: 'RSA-OAEP', hash: 'SHA-256' } as const

/**
 * Encrypts a value for `POST /secrets` (contract part 2, "Secrets and approvals"). Only the owner of the private key
 * can decrypt it. Needs only Web Crypto.
 */
export async function encryptSecret(
  { public_key_pem: pem }: { public_key_pem: string },
  value: string,
): Promise<Record<'encrypted_key' | 'iv' | 'ciphertext', string>> {
  const { subtle } = globalThis.crypto
  const publicKey = await subtle.importKey('spki', derOf(pem), wrapping, false, ['encrypt'])
  const dataKey = globalThis.crypto.getRandomValues(new Uint8Array(32))
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(12))
  const cipher = await subtle.importKey('raw', dataKey, 'AES-GCM', false, ['encrypt'])
  const [encryptedKey, ciphertext] = await Promise.all([
    subtle.encrypt({ name: 'RSA-OAEP' }, publicKey, dataKey),
    subtle.encrypt({ name: 'AES-GCM', iv, tagLength: 128 }, cipher, new TextEncoder().encode(value)),
  ])
  dataKey.fill(0)
  return {
    encrypted_key: base64Of(new Uint8Array(encryptedKey)),
    iv: base64Of(iv),
    ciphertext: base64Of(new Uint8Array(ciphertext)),
  }
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** The number of arguments of `String.fromCharCode` is limited by the stack. */
const charactersAtOnce = 8192

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += charactersAtOnce)
    text += String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce))
  return btoa(text)
}
