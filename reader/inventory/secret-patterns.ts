import type { ObservationRule } from './inventory.ts'

/**
 * A token with a known prefix, then between `min` and `max` characters of one alphabet, then
 * another character. Matching visits each character once, so no content makes it slow.
 */
export interface TokenPattern {
  rule: ObservationRule
  prefix: string
  alphabet: 'upper' | 'alphanumeric' | 'token'
  min: number
  max: number
}

export const tokenPatterns: readonly TokenPattern[] = [
  { rule: 'aws_access_key', prefix: 'AKIA', alphabet: 'upper', min: 16, max: 16 },
  { rule: 'github_token', prefix: 'ghp_', alphabet: 'alphanumeric', min: 36, max: 255 },
  { rule: 'github_token', prefix: 'gho_', alphabet: 'alphanumeric', min: 36, max: 255 },
  { rule: 'github_token', prefix: 'ghs_', alphabet: 'alphanumeric', min: 36, max: 255 },
  { rule: 'github_token', prefix: 'github_pat_', alphabet: 'token', min: 60, max: 255 },
  { rule: 'gitlab_token', prefix: 'glpat-', alphabet: 'token', min: 20, max: 64 },
  { rule: 'slack_token', prefix: 'xoxb-', alphabet: 'token', min: 24, max: 255 },
  { rule: 'slack_token', prefix: 'xoxp-', alphabet: 'token', min: 24, max: 255 },
  { rule: 'stripe_key', prefix: 'sk_live_', alphabet: 'alphanumeric', min: 24, max: 247 },
  { rule: 'stripe_key', prefix: 'rk_live_', alphabet: 'alphanumeric', min: 24, max: 247 },
  { rule: 'google_api_key', prefix: 'AIza', alphabet: 'token', min: 35, max: 35 },
  { rule: 'npm_token', prefix: 'npm_', alphabet: 'alphanumeric', min: 36, max: 36 },
  { rule: 'pypi_token', prefix: 'pypi-AgE', alphabet: 'token', min: 50, max: 255 },
  { rule: 'anthropic_key', prefix: 'sk-ant-', alphabet: 'token', min: 80, max: 255 },
  { rule: 'openai_key', prefix: 'sk-proj-', alphabet: 'token', min: 40, max: 255 },
]

/** Characters of each alphabet, by code. */
export const alphabets = {
  upper: table('A-Z0-9'),
  alphanumeric: table('A-Za-z0-9'),
  token: table('A-Za-z0-9_-'),
  base64: table('A-Za-z0-9+/='),
  urlPart: table("A-Za-z0-9._~%!&'()*+,;=-"),
}

function table(characters: string): Uint8Array {
  const pattern = new RegExp(`[${characters}]`)
  return Uint8Array.from({ length: 256 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}
