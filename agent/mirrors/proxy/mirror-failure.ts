/** Why an answer of a mirror is not passed on: the status that the tool sees, and a sentence for the author. */
export const mirrorFailures = {
  mirror_not_declared: { status: 502, why: 'The operator has no such package mirror now.' },
  mirror_unreachable: { status: 502, why: 'The package mirror cannot be reached.' },
  mirror_certificate_invalid: {
    status: 502,
    why: 'The certificate of the package mirror is not valid, or of an unknown authority.',
  },
  mirror_timeout: { status: 504, why: 'The package mirror did not answer in time.' },
  mirror_redirect_elsewhere: {
    status: 502,
    why: 'The package mirror redirects to another place, which is not followed: it has to send the file itself.',
  },
  mirror_login_refused: {
    status: 502,
    why: "The package mirror refuses the operator's login, or wants one.",
  },
  mirror_answer_too_large: { status: 502, why: 'The answer of the package mirror is too large.' },
  mirror_answer_invalid: { status: 502, why: 'The answer of the package mirror is not valid HTTP.' },
  mirror_answer_incomplete: { status: 502, why: 'The answer of the package mirror ended early.' },
  mirror_path_outside: { status: 403, why: "This path is outside of the package mirror's folder." },
  mirror_method_refused: { status: 405, why: 'A package mirror is read only: GET and HEAD.' },
  mirror_busy: { status: 503, why: 'This build has too many requests to package mirrors at once.' },
} as const

export type MirrorFailureCode = keyof typeof mirrorFailures

/** Ends a request to a mirror with a code. */
export class MirrorFailure extends Error {
  readonly code: MirrorFailureCode

  constructor(code: MirrorFailureCode) {
    super(mirrorFailures[code].why)
    this.name = 'MirrorFailure'
    this.code = code
  }
}

const certificateProblem =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_SSL)/

/** The failure that an error of a connection to a mirror stands for. */
export function failureOf(error: unknown): MirrorFailureCode {
  if (error instanceof MirrorFailure) return error.code
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (certificateProblem.test(code)) return 'mirror_certificate_invalid'
  if (code.startsWith('HPE_')) return 'mirror_answer_invalid'
  return 'mirror_unreachable'
}
