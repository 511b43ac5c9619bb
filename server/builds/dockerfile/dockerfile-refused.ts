/** A Dockerfile is refused: the rule's slug (contract, Build attempt, `error_detail`) and the line, from 1. */
export class DockerfileRefused extends Error {
  readonly slug: DockerfileRefusal
  readonly line: number

  constructor(slug: DockerfileRefusal, line: number) {
    super(`dockerfile refused: ${slug} in line ${line}`)
    this.name = 'DockerfileRefused'
    this.slug = slug
    this.line = line
  }

  /** For the build attempt; never any text of the file. */
  get errorDetail(): string {
    return `${this.slug};line_${this.line}`
  }
}

export type DockerfileRefusal =
  | 'dockerfile_too_large'
  | 'dockerfile_not_utf8'
  | 'line_too_long'
  | 'control_character'
  | 'ambiguous_space'
  | 'syntax_directive'
  | 'escape_directive'
  | 'unknown_instruction'
  | 'onbuild_forbidden'
  | 'missing_arguments'
  | 'no_from'
  | 'instruction_before_from'
  | 'too_many_stages'
  | 'too_many_flags'
  | 'flag_unknown'
  | 'flag_not_plain'
  | 'heredoc_unsupported'
  | 'dynamic_from'
  | 'from_not_understood'
  | 'platform_forbidden'
  | 'duplicate_stage'
  | 'base_reference_forbidden'
  | 'copy_from_forbidden'
  | 'network_add'
  | 'run_network_forbidden'
  | 'run_flag_forbidden'
  | 'mount_forbidden'
