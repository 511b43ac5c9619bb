import { nearNames } from '@sandbox-jobs/contract/near-names.ts'

/** Every reason to refuse a Dockerfile, by slug, with the text for the build log. */
const dockerfileRefusals = {
  dockerfile_too_large: 'A Dockerfile is at most 1 MiB.',
  dockerfile_not_utf8: 'A Dockerfile is UTF-8 text.',
  control_character: 'Control characters other than tabs and line ends are not allowed.',
  ambiguous_space: 'Only blanks and tabs separate words; this line has another kind of space.',
  syntax_directive: 'A syntax directive is not allowed anywhere in the file, not even in the middle.',
  escape_directive: 'An escape directive is not allowed.',
  unknown_instruction: 'The builder does not know this instruction.',
  onbuild_forbidden: 'ONBUILD is not allowed.',
  missing_arguments: 'The instruction has no arguments.',
  no_from: 'There is no FROM.',
  instruction_before_from: 'Only ARG is allowed before the first FROM.',
  too_many_stages: 'There are at most 64 stages.',
  too_many_flags: 'An instruction has at most 32 flags.',
  too_many_instructions:
    'A Dockerfile has at most 500 instructions. Join commands with &&, or copy a script and run it.',
  too_many_bases: 'A Dockerfile names at most 64 images.',
  flag_unknown: 'The builder does not support this flag, or it has no value or comes twice.',
  flag_not_plain: 'Flags are plain text, without quotes, backslashes and variables.',
  heredoc_not_plain:
    'A heredoc is <<NAME, <<-NAME or <<"NAME" with a name of letters, digits, _, . and -. COPY and ADD give each its own name, and their destination comes last.',
  heredoc_unterminated: 'The heredoc has no end: a line with its name and nothing else, blanks included.',
  dynamic_from: 'FROM names its image in plain text; variables are not allowed in it.',
  from_not_understood: 'FROM has the form FROM image, or FROM image AS name.',
  platform_forbidden: 'The only platform is linux/amd64.',
  duplicate_stage: 'Two stages have the same name.',
  base_reference_forbidden:
    'An image is scratch, an earlier stage, or a name in a registry in lower case; transports and paths are not.',
  copy_from_forbidden: 'COPY --from takes an earlier stage only.',
  network_add:
    'Sources of ADD are plain paths in the context: no addresses, variables, quotes or backslashes.',
  checksum_without_address: 'ADD --checksum is for sources with an address, which are not allowed.',
  run_network_forbidden: 'RUN --network may only be default; the network of a step cannot be changed.',
  run_flag_forbidden: 'RUN takes the flags --mount and --network only, each with a value.',
  mount_forbidden:
    'RUN --mount may only be type=tmpfs, or type=cache with an id of a-z, 0-9, _ and - and no source or from.',
} as const

export type DockerfileRefusal = keyof typeof dockerfileRefusals

export const isDockerfileRefusal = (slug: string): slug is DockerfileRefusal =>
  Object.hasOwn(dockerfileRefusals, slug)

/** The builder's instructions. */
export const keywords: ReadonlySet<string> = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  ),
)

/** The instruction that a mistyped word probably means: it has most of its letters. */
export function nearKeyword(word: string): string | undefined {
  // No word this long is near, and comparing takes time.
  if (word.length > 20) return undefined
  const [near] = nearNames(word, [...keywords])
  return near
}

/** A refused Dockerfile: the rule's slug (contract, Build attempt, `error_detail`) and the line, from 1. */
export class DockerfileRefused extends Error {
  readonly slug: DockerfileRefusal
  readonly line: number
  /** The instruction that an unknown one probably means. */
  readonly meant: string | undefined

  constructor(slug: DockerfileRefusal, line: number, meant?: string) {
    super(`dockerfile refused: ${slug} in line ${line}`)
    this.name = 'DockerfileRefused'
    this.slug = slug
    this.line = line
    this.meant = meant
  }

  /** `error_detail` of the build attempt. Contains no text of the file. */
  get errorDetail(): string {
    const detail = `${this.slug};line_${this.line}`
    return this.meant === undefined ? detail : `${detail};did_you_mean_${this.meant}`
  }

  /** Text for the build log: the line and the rule. */
  get explanation(): string {
    const meant = this.meant === undefined ? '' : ` Did you mean ${this.meant}?`
    return `Dockerfile:${this.line}: ${dockerfileRefusals[this.slug]}${meant} (${this.slug})\n`
  }
}
