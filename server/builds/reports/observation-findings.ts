import type { ScanFinding, Severity } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Observation, ObservationRule } from '../../../reader/inventory/inventory.ts'

interface Rule {
  kind: 'file' | 'secret'
  severity: Severity
  title: string
}

const secret = (title: string, severity: Severity = 'high'): Rule => ({ kind: 'secret', severity, title })
/** Low: no file raises privileges in a sandbox, so these matter only if the image is also used elsewhere. */
const file = (title: string): Rule => ({ kind: 'file', severity: 'low', title })

const rules: Record<ObservationRule, Rule> = {
  setuid_file: file('Program that runs as its owner'),
  setgid_file: file('Program that runs as its group'),
  capability_file: file('Program with capabilities'),
  world_writable_folder: file('Folder that everybody may write to and remove from'),
  private_key: secret('Private key'),
  aws_access_key: secret('AWS access key', 'critical'),
  github_token: secret('GitHub token', 'critical'),
  gitlab_token: secret('GitLab token', 'critical'),
  slack_token: secret('Slack token'),
  stripe_key: secret('Stripe live key', 'critical'),
  google_api_key: secret('Google API key'),
  npm_token: secret('npm token', 'critical'),
  pypi_token: secret('PyPI token', 'critical'),
  openai_key: secret('OpenAI key'),
  anthropic_key: secret('Anthropic key'),
  url_with_password: secret('Address with a password in it', 'medium'),
}

export const observationFinding = ({ rule, path }: Observation): ScanFinding => ({
  ...rules[rule],
  rule,
  subject: path,
  installed_version: '',
  fixed_version: '',
})
