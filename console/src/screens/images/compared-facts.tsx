import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { provenanceOf } from '../../data/authoring/images.ts'
import { DifferenceTable } from '../../parts/difference-table.tsx'
import { type Answer, Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { type Statement, statementIn } from './statement.ts'

interface Props {
  before: EnvironmentVersion
  after: EnvironmentVersion
}

/** The differences between two images as wholes: what they were made of, and their sizes. */
export function ComparedFacts({ before, after }: Props) {
  const statements = useQueries({
    queries: [before, after].map(({ environment_id, id }) => provenanceOf(environment_id, id)),
    combine: statementsOf,
  })
  return (
    <Panel query={statements} rows={5}>
      {([old, now]) => <Shown before={{ ...before, statement: old }} after={{ ...after, statement: now }} />}
    </Panel>
  )
}

/** The statements about both images. That of an image which is not signed is undefined. */
function statementsOf(
  answers: UseQueryResult<Parameters<typeof statementIn>[0]>[],
): Answer<(Statement | undefined)[]> {
  const failed = answers.find(({ data, error }) => data === undefined && error && !isNotFound(error))
  const isKnown = answers.every(({ isPending }) => !isPending) && !failed
  return {
    data: isKnown ? answers.map(({ data }) => data && statementIn(data)) : undefined,
    error: failed?.error ?? null,
    dataUpdatedAt: Math.min(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => Promise.all(answers.map(({ refetch }) => refetch())),
  }
}

type Described = EnvironmentVersion & { statement: Statement | undefined }

function Shown({ before, after }: { before: Described; after: Described }) {
  const t = useTexts()
  const formats = useFormats()
  const size = (bytes: number | null) => (bytes === null ? undefined : formats.bytes(bytes))
  const rows = [
    { name: t.provenance.bases, text: ({ statement }: Described) => statement && basesOf(statement) },
    { name: t.environments.size, text: ({ unpacked_bytes }: Described) => size(unpacked_bytes) },
    { name: t.compare.compressed, text: ({ compressed_bytes }: Described) => size(compressed_bytes) },
    { name: t.environments.profile, text: ({ resource_profile }: Described) => resource_profile },
    { name: t.provenance.runner, text: ({ runner_release }: Described) => runner_release ?? undefined },
  ]
  return (
    <DifferenceTable
      before={t.environments.numbered(before.version_number)}
      after={t.environments.numbered(after.version_number)}
      rows={rows.map(({ name, text }) => ({ name, before: text(before), after: text(after) }))}
    />
  )
}

const basesOf = ({ bases }: Statement): string =>
  bases.map(({ name, digest }) => `${name} ${digest.slice(0, 'sha256:'.length + 12)}…`).join('\n')
