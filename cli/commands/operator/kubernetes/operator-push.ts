import { resolve } from 'node:path'
import {
  pushCollectorImage,
  pushProbeImage,
} from '@sandbox-jobs/server/main/operator/kubernetes/operator-probe-image.ts'
import { pushVersion } from '@sandbox-jobs/server/main/operator/kubernetes/operator-push-version.ts'
import type { PushRequest } from '@sandbox-jobs/server/main/operator/kubernetes/operator-registry.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { withLocalService } from '../../../session/local-service.ts'
import { withOperator } from '../../../session/operator.ts'

interface PushOptions {
  to: string
  login?: string
  ca?: string
  plainHttp?: boolean
  json?: boolean
}

const pushing = (command: Command) =>
  command
    .requiredOption('--to <registry/name>', 'where nodes of the cluster pull it')
    .option('--login <file>', 'a file with USER:PASSWORD')
    .option('--ca <file>', "the registry's certificate authority in PEM (default: the system's)")
    .option('--plain-http', 'without TLS, in a network that is trusted')
    .option('--json', 'print one JSON document')

const requestOf = ({ to, login, ca, plainHttp = false }: PushOptions): PushRequest => ({
  to,
  plainHttp,
  ...(login !== undefined && { loginFile: resolve(login) }),
  ...(ca !== undefined && { caFile: resolve(ca) }),
})

export const pushProbeCommand = (): Command =>
  pushing(new Command('push-probe'))
    .description('put the image of the check into a registry, and print the reference for --image')
    .addHelpText(
      'after',
      '\nExample:\n  sandbox operator kubernetes push-probe --to registry.example.org/sandbox/probe --login registry-login',
    )
    .action(({ json, ...options }: PushOptions) =>
      withOperator(
        { ...(json && { json }) },
        undefined,
        () => pushProbeImage(requestOf(options)),
        ({ reference }) => ({ text: `${reference}\n`, document: { reference } }),
      ),
    )

export const pushCollectorCommand = (): Command =>
  pushing(new Command('push-collector'))
    .description('put the image of the second container of pods into a registry, and print its reference')
    .addHelpText(
      'after',
      '\nExample:\n  sandbox operator kubernetes push-collector --to registry.example.org/sandbox/collector --login registry-login',
    )
    .action(({ json, ...options }: PushOptions) =>
      withOperator(
        { ...(json && { json }) },
        undefined,
        () => pushCollectorImage(requestOf(options)),
        ({ reference }) => ({ text: `${reference}\n`, document: { reference } }),
      ),
    )

export const pushCommand = (): Command =>
  pushing(new Command('push'))
    .description(
      'put the image of a version into a registry, with the layer by which pods run it above its own',
    )
    .argument('<version>', 'the id of an environment version')
    .addHelpText(
      'after',
      '\nExample:\n  sandbox operator kubernetes push ver_0192 --to registry.example.org/sandbox/images --login registry-login',
    )
    .action((version: string, { json, ...options }: PushOptions) =>
      withLocalService(
        { ...(json && { json }) },
        () => pushVersion(version, requestOf(options)),
        (result) => {
          if ('refused' in result)
            throw new CliError(`The image was not pushed: ${result.refused}.`, {
              hint: 'Repeat it once that is repaired: what the registry has already is not sent again.',
              code: 'cli_image_not_pushed',
              exitCode: exitCodes.failed,
            })
          const { promotedDigest, composedDigest } = result.pushed
          const reference = `${options.to}@${composedDigest}`
          return {
            text: `${reference}\n`,
            document: { reference, promoted_digest: promotedDigest, composed_digest: composedDigest },
          }
        },
      ),
    )
