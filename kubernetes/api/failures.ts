/** No whole answer of the API server: the request may or may not have had an effect. */
export class KubernetesUnavailable extends Error {
  override readonly name = 'KubernetesUnavailable'
}

/** The API server refused a request, which certainly had no effect. */
export class KubernetesRefused extends Error {
  override readonly name = 'KubernetesRefused'
  /** 400 to 499, but neither 408 nor 429. */
  readonly status: number
  /** `AlreadyExists`, `Forbidden`, `Expired`; empty if the answer has none. */
  readonly reason: string

  constructor({ status, reason, message }: { status: number; reason: string; message: string }) {
    super(`${status} ${reason}: ${message}`)
    this.status = status
    this.reason = reason
  }
}

/** The version that a request names is older than those that the API server has: list again. */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubernetesRefused && error.status === 410

const messageMaxLength = 400

/** The refusal in an object of the kind `Status`, whose text is made fit for a log. */
export function refusalOf(status: number, object: Record<string, unknown> | undefined): KubernetesRefused {
  const { reason, message } = object ?? {}
  return new KubernetesRefused({
    status,
    reason: typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : '',
    message: typeof message === 'string' ? printable(message) : 'without a message',
  })
}

const printable = (text: string) => text.slice(0, messageMaxLength).replaceAll(/[^\x20-\x7e]+/g, ' ')
