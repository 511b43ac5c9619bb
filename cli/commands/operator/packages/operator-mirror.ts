import { resolve } from 'node:path'
import {
  addPackageMirror,
  type MirrorRequest,
  type NamedMirror,
  readPackageMirrors,
  removePackageMirror,
} from '@sandbox-jobs/server/main/operator/images/operator-mirrors.ts'
import { Command } from 'commander'
import { table } from '../../../output/table.ts'
import { withOperator } from '../../../session/operator.ts'

interface Options {
  ca?: string
  login?: string
  archive?: string
  json?: boolean
}

const needsRoot = '\nNeeds root, on the machine of the service.'

const add = () =>
  new Command('add')
    .description('declare a package mirror, or replace it')
    .argument('<kind>', 'pypi, npm, apt, go, cargo, maven, cran or rubygems')
    .argument('<url>', 'its address, over http or https; it may be in a private network')
    .option('--ca <file>', "its certificate authority in PEM (default: the system's)")
    .option('--login <file>', 'a file with USER:PASSWORD, which only the proxy of the service gets')
    .option('--archive <name>', 'for apt: the folder in package sources, such as debian-security', 'debian')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `${needsRoot}\n\nExamples:\n  sandbox operator mirror add pypi https://packages.example.org/pypi/simple` +
        '\n  sandbox operator mirror add apt http://10.0.0.5/debian-security --archive debian-security',
    )
    .action((kind: string, url: string, options: Options) =>
      withOperator(
        options,
        undefined,
        () => addPackageMirror(requestOf(kind, url, options)),
        (mirror) => ({
          text: `Build steps use ${mirror.url} as ${mirror.name}${mirror.inner ? ', in a private network' : ''}.\n`,
          document: documentOf(mirror),
        }),
      ),
    )

const requestOf = (kind: string, url: string, { ca, login, archive }: Options): MirrorRequest => ({
  kind: kind as MirrorRequest['kind'],
  url,
  ...(kind === 'apt' && { archive }),
  ...(ca !== undefined && { caFile: resolve(ca) }),
  ...(login !== undefined && { loginFile: resolve(login) }),
})

const list = () =>
  new Command('list')
    .description('list the package mirrors')
    .option('--json', 'print one JSON document')
    .addHelpText('after', needsRoot)
    .action((options: { json?: boolean }) =>
      withOperator(options, undefined, readPackageMirrors, (items) => ({
        text: table(
          ['NAME', 'ADDRESS', 'NETWORK', 'LOGIN', 'AUTHORITY'],
          items.map(({ name, url, inner, loginFile = '', caFile = '' }) => [
            name,
            url,
            inner ? 'private' : 'public',
            loginFile,
            caFile,
          ]),
        ),
        document: { items: items.map(documentOf) },
      })),
    )

const documentOf = ({ name, kind, url, inner, caFile, loginFile }: NamedMirror) => ({
  name,
  kind,
  url,
  private: inner,
  ca_file: caFile ?? null,
  login_file: loginFile ?? null,
})

const remove = () =>
  new Command('remove')
    .description('withdraw a package mirror')
    .argument('<name>', 'as listed')
    .option('--json', 'print one JSON document')
    .addHelpText('after', needsRoot)
    .action((name: string, options: { json?: boolean }) =>
      withOperator(
        options,
        undefined,
        () => removePackageMirror(name),
        (removed) => ({
          text: removed ? `Removed ${name}.\n` : `There is no mirror ${name}.\n`,
          document: { name, removed },
        }),
      ),
    )

export const operatorMirrorCommand = (): Command =>
  new Command('mirror')
    .description('package mirrors that the steps of builds use')
    .addCommand(add())
    .addCommand(list())
    .addCommand(remove())
