import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { signingKeys } from '../../data/authoring/images.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './images.module.css'
import type { NamedDigest, Statement } from './statement.ts'

interface Props {
  statement: Statement
  signatures: Envelope['signatures']
  version: EnvironmentVersion
}

/** The claims of a statement, one line each. */
export function SignedFacts({ statement, signatures, version }: Props) {
  const t = useTexts()
  const { id: vid, environment_id: id } = version
  return (
    <Facts>
      <Fact name={t.provenance.image}>
        <IdText id={statement.image.digest} />
      </Fact>
      <Fact name={t.provenance.archive}>{statement.archive && <IdText id={statement.archive} />}</Fact>
      <Fact name={t.provenance.content}>{statement.content && <IdText id={statement.content} />}</Fact>
      <Fact name={t.provenance.bases}>{digests(statement.bases)}</Fact>
      <Fact name={t.provenance.earlier}>{digests(statement.earlier)}</Fact>
      <Fact name={t.provenance.reused}>
        {statement.reusedFrom === undefined ? null : <IdText id={statement.reusedFrom} />}
      </Fact>
      <Fact name={t.provenance.build}>
        <Link to="/environments/$id/versions/$vid/builds/$aid" params={{ id, vid, aid: statement.attemptId }}>
          <Moment at={statement.finishedAt} />
        </Link>
      </Fact>
      <Fact name={t.provenance.builder}>
        <TenantText text={`${statement.builder} (${statement.tools})`} />
      </Fact>
      <Fact name={t.provenance.runner}>{statement.runner}</Fact>
      <Fact name={t.provenance.signedBy}>
        <SigningKeys ids={signatures.map(({ keyid }) => keyid)} />
      </Fact>
    </Facts>
  )
}

/** Nothing for an empty list, which leaves its line out. */
const digests = (items: readonly NamedDigest[]) =>
  items.length === 0 ? null : (
    <ul className={styles.names}>
      {items.map(({ name, digest }) => (
        <li key={`${name} ${digest}`}>
          <TenantText text={name} /> <IdText id={digest} />
        </li>
      ))}
    </ul>
  )

function SigningKeys({ ids }: { ids: readonly string[] }) {
  const t = useTexts()
  const { data } = useQuery(signingKeys)
  const trusted = new Set(data?.items.map(({ key_id }) => key_id))
  return (
    <ul className={styles.names}>
      {ids.map((id) => (
        <li key={id}>
          <IdText id={id} /> {data && (trusted.has(id) ? t.provenance.trusted : t.provenance.notTrusted)}
        </li>
      ))}
    </ul>
  )
}
