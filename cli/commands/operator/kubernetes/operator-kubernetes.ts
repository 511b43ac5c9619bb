import { resolve } from 'node:path'
import {
  checkKubernetes,
  kubernetesManifests,
} from '@sandbox-jobs/server/main/operator/kubernetes/operator-kubernetes.ts'
import { writeProbeImage } from '@sandbox-jobs/server/main/operator/kubernetes/operator-probe-image.ts'
import { Command } from 'commander'
import { table } from '../../../output/table.ts'
import { withOperator } from '../../../session/operator.ts'
import { pushCollectorCommand, pushCommand, pushProbeCommand } from './operator-push.ts'

const asJson = ['--json', 'print one JSON document'] as const
const gatewayOption = [
  '--gateway <address:port>',
  'where pods will reach the workers; the port after it is one that no policy allows',
] as const
const namespaceOption = ['--namespace <name>', 'the namespace of runs'] as const

interface CheckOptions {
  server: string
  credentials: string
  namespace: string
  image: string
  gateway: string
  runtimeClass?: string
  json?: boolean
}

const check = () =>
  new Command('check')
    .description('check what a cluster can run, with a pod; exit code 1 if something needed is missing')
    .requiredOption('--server <url>', 'the address of the API server')
    .requiredOption('--credentials <folder>', 'a folder with ca.crt and token, or tls.crt and tls.key')
    .requiredOption(...namespaceOption)
    .requiredOption('--image <reference>', 'the pushed image of probe-image, by its digest')
    .requiredOption(...gatewayOption)
    .option('--runtime-class <name>', 'a class that isolates, where the cluster has no user namespaces')
    .option(...asJson)
    .addHelpText(
      'after',
      '\nExample:\n  sandbox operator kubernetes check --server https://10.0.0.1:6443 --credentials worker-credentials' +
        ' --namespace runs --image registry.example.org/probe@sha256:DIGEST --gateway 10.0.0.5:7443',
    )
    .action(({ json, credentials, ...request }: CheckOptions) =>
      withOperator(
        { ...(json && { json }) },
        'Checking the cluster',
        () => checkKubernetes({ ...request, credentials: resolve(credentials) }),
        (findings) => {
          const isUsable = findings.every(({ ok, needed }) => ok || !needed)
          if (!isUsable) process.exitCode = 1
          const rows = findings.map(({ slug, ok, needed, found, advice }) => [
            slug,
            ok ? 'ok' : needed ? 'MISSING' : 'absent',
            advice === '' ? found : `${found}: ${advice}`,
          ])
          const verdict = isUsable ? 'The cluster has what runs need.' : 'The cluster lacks what runs need.'
          return { text: `${table(['CHECK', 'STATE', 'FOUND'], rows)}\n${verdict}\n`, document: { findings } }
        },
      ),
    )

interface ManifestOptions {
  json?: boolean
  namespace: string
  gateway: string
  resolver: string[]
}

const manifests = () =>
  new Command('manifests')
    .description('print accounts, rights and network policies of a namespace, for kubectl apply -f -')
    .requiredOption(...namespaceOption)
    .requiredOption(...gatewayOption)
    .option('--resolver <address...>', 'resolvers of runs that may reach public addresses', [])
    .option(...asJson)
    .addHelpText(
      'after',
      '\nExample:\n  sandbox operator kubernetes manifests --namespace runs --gateway 10.0.0.5:7443 --resolver 10.0.0.6',
    )
    .action(({ json, namespace, gateway, resolver }: ManifestOptions) =>
      withOperator(
        { ...(json && { json }) },
        undefined,
        () => kubernetesManifests({ namespace, gateway, resolvers: resolver }),
        (list) => ({ text: `${JSON.stringify(list, undefined, 2)}\n`, document: list }),
      ),
    )

const image = () =>
  new Command('probe-image')
    .description(
      'write the image of the check as an OCI archive, for a registry that another machine reaches',
    )
    .argument('<file>', 'the archive')
    .option(...asJson)
    .action((file: string, options: { json?: boolean }) =>
      withOperator(
        options,
        undefined,
        () => writeProbeImage(resolve(file)),
        ({ digest }) => ({
          text: `Wrote ${file}, with the digest ${digest}\n`,
          document: { file, digest },
        }),
      ),
    )

export const operatorKubernetesCommand = (): Command =>
  new Command('kubernetes')
    .description('a cluster in which runs could start')
    .addCommand(check())
    .addCommand(manifests())
    .addCommand(image())
    .addCommand(pushProbeCommand())
    .addCommand(pushCommand())
    .addCommand(pushCollectorCommand())
