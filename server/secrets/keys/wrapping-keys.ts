/*
 * Key-encryption keys: what the data keys of stored secrets are wrapped under. They are never in the database. Two
 * adapters, `local-keys.ts` and `vault-keys.ts`, keep to one conformance suite.
 */

export interface WrappedKey {
  /** Which key wrapped it, `local:3` or `vault:3`: the text before the colon names the adapter. */
  keyId: string
  bytes: Buffer
}

export interface WrappingKeys {
  /** The start of its key ids. */
  readonly prefix: string
  /** The id of the key that wraps now. */
  presentId(): Promise<string>
  /** Wraps a data key of 32 bytes under the present key. The context is authenticated and has to be given again to unwrap. */
  wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey>
  /** Throws `WrappedKeyRefused` for another context, damaged bytes and keys that this adapter does not have. */
  unwrap(wrapped: WrappedKey, context: Buffer): Promise<Buffer>
  /** Makes the next key, which wraps from then on in every process, and answers its id. A wrapped value stays readable. */
  rotate(): Promise<string>
}

/** No key can be used now: missing, damaged, sealed, slow or not understood. The message is for the operator's log. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** It does not open, whoever tries: it was damaged, or is not in its place. */
export class WrappedKeyRefused extends Error {
  override readonly name = 'WrappedKeyRefused'
}

/** Wraps under one adapter and unwraps what any of them has wrapped, so that keys can move from one to another. */
export function keyRing(present: WrappingKeys, former: readonly WrappingKeys[] = []): WrappingKeys {
  const all = [present, ...former]
  return {
    prefix: present.prefix,
    presentId: () => present.presentId(),
    wrap: (dataKey, context) => present.wrap(dataKey, context),
    unwrap: async (wrapped, context) => {
      const keys = all.find(({ prefix }) => wrapped.keyId.startsWith(`${prefix}:`))
      if (!keys) throw new KeysUnavailable(`nothing here has the key ${wrapped.keyId}`)
      return keys.unwrap(wrapped, context)
    },
    rotate: () => present.rotate(),
  }
}
