/** Every number of the contract's Limits table (part 1) and the bounds that part 3 settles (D4). */

const kib = 1024
const mib = 1024 * kib
const gib = 1024 * mib
const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds
const daySeconds = 24 * hourSeconds

// Sign-ins of browsers
export const signInIdleSeconds = 8 * hourSeconds
export const signInMaxSeconds = 7 * daySeconds
/** Of one person; the one that was not used for longest ends. */
export const signInsOfPersonMax = 20

/** The longest stream of what happens around a person; a client then asks again. */
export const liveEventsMaxSeconds = hourSeconds
/** Topics of one such stream. */
export const liveTopicsMax = 32

export const passwordMinLength = 12
export const passwordMaxLength = 256
/** The form of a login. */
export const loginPattern = '^[A-Za-z0-9_.:@-]{1,64}$'

// Lists
export const pageSizeMax = 100
/** Environments, versions, builds, tasks, task versions, shares and the platform's lists. */
export const catalogPageSizeDefault = 20
/** Menu, runs and artifacts of a chatroom. */
export const chatroomPageSizeDefault = 50
export const pageTokenMaxLength = 512
/** History of a task, which is paged by offset. */
export const historyLimitDefault = 10

// Names and texts, in characters
export const nameMaxLength = 256
export const descriptionMaxLength = 2048
export const sourceRefMaxLength = 1024
export const reasonMaxLength = 512
/** The longest time for which the operator refuses new builds at once. */
export const buildFenceMaxMinutes = 24 * 60
export const errorDetailMaxLength = 128
export const guidanceMaxLength = 400

// Run input
export const runInputMaxBytes = 1 * mib
export const runInputMaxDepth = 64
export const runInputMaxNodes = 100_000
/** Room for the other fields of a submission around its input; the whole body is measured before it is read. */
export const runSubmitBodyMaxBytes = runInputMaxBytes + 16 * kib
/** The same with files and metadata, of which JSON may write a character in up to twelve bytes. */
export const extendedSubmitBodyMaxBytes = runInputMaxBytes + 640 * kib

// Files that a run takes beside its input
export const inputFileMaxBytes = 256 * mib
export const runFilesMax = 32
/** Of one run together: a workspace of the smallest profile holds twice as much. */
export const runFilesMaxBytes = 256 * mib
export const inputFileNameMaxBytes = 255

// Sessions: files that stay between runs
export const sessionBytesMin = 1 * mib
/** Unless the operator sets others. A workspace of the smallest profile holds twice as much as the default. */
export const sessionBytesDefault = 256 * mib
export const sessionBytesMax = 1 * gib
/** Files, folders and links together. */
export const sessionFilesMax = 20_000
export const sessionPathMaxBytes = 1024
export const sessionNameMaxBytes = 255
export const sessionDepthMax = 64
/** Of all paths and targets of links together: requests and runs read them as a whole. */
export const sessionNamesMaxBytes = 4 * mib
export const sessionKeepHoursDefault = 30 * 24
export const sessionKeepHoursMax = 90 * 24
/** The space of its workspace that a run keeps for other files than those of its session. */
export const sessionWorkspaceReserveBytes = 64 * mib
export const mediaTypeMaxLength = 127
/** Uploads of one company at the same time. */
export const inputFileUploadsMax = 20

// Metadata of a run
export const metadataEntriesMax = 16
export const metadataKeyMaxLength = 64
export const metadataValueMaxLength = 512
/** Pairs by which one request filters runs. */
export const metadataFiltersMax = 4

// Scripts and what surrounds them
export const scriptMaxBytes = 1 * mib
/** A draft carries two scripts, and JSON may write a character in up to six bytes. */
export const draftBodyMaxBytes = 8 * mib
export const dockerfileMaxBytes = 1 * mib
export const workCommandMaxBytes = 4096
export const inputSchemaMaxBytes = 64 * kib
export const inputExampleMaxLength = 64 * kib
export const inputInstructionsMaxLength = 64 * kib
export const contractErrorsMax = 20
export const scriptUploadLifetimeSeconds = daySeconds
export const uploadFilenameMaxLength = 255
export const bundleMaxBytes = 64 * mib
export const bundleFilesMax = 2000
/** Unpacked; a workspace of the smallest profile holds twice as much. */
export const bundleUnpackedMaxBytes = 256 * mib
export const bundleUploadLifetimeSeconds = daySeconds

// Environment of a run
export const envNamesMax = 100
export const envEntryMaxBytes = 64 * kib
export const ordinaryEnvMaxBytes = 64 * kib
export const allEnvMaxBytes = 256 * kib
export const envNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,127}$'
/** Names with this prefix belong to the platform. */
export const reservedEnvPrefix = 'SERVICE_'

// Secrets
export const secretPlaintextMinBytes = 4
export const secretPlaintextMaxBytes = 64 * kib
export const secretSlotPoliciesMax = 100
/** Base64 of the wrapped data key, and of the value with its tag of 16 bytes. */
export const encryptedKeyMaxLength = 1024
export const secretCiphertextMaxLength = 87_404
export const approvedSlotsMax = 100
/** Live secrets of one consumer for one task: as many as an environment has names. */
export const secretsPerConsumerTaskMax = 100
/** Live secrets of a company, and active approvals. */
export const secretsPerCompanyMax = 5000
export const approvalsPerCompanyMax = 5000
/** For how long an approval covers the next versions of a task. */
export const nextVersionsMaxDays = 90

// Requests
export const idempotencyKeyMaxLength = 128

// Time a run may take
export const timeoutDefaultSeconds = 1800
export const timeoutMinSeconds = 1
/** 7 days minus the 120 seconds of grace of the run's credentials. */
export const timeoutMaxSeconds = 604_680
export const timeoutCeilingDefaultSeconds = daySeconds
export const runnerCredentialGraceSeconds = 120
export const runnerCredentialMaxSeconds = 7 * daySeconds

// People
/** Of an address at which a person chooses a password. */
export const passwordAddressLifetimeSeconds = 3 * daySeconds

// Agent
/** Between the login and the press of a button on the page that confirms a proposal. */
export const confirmFormLifetimeSeconds = 10 * minuteSeconds
export const proposalLifetimeSeconds = 1800
export const turnReceiptLifetimeSeconds = 600
export const agentWaitMaxSeconds = 60
export const agentArtifactRowsMax = 20
export const agentOutputPreviewMaxBytes = 64 * kib
export const agentLogPreviewMaxBytes = 16 * kib
export const agentQueryMaxLength = 256
/** A page of the menu has fewer items where they would be larger than this together, as JSON, and one at least. */
export const menuPageMaxBytes = 1 * mib
/** The same for agents, which read all of it. */
export const agentMenuPageMaxBytes = 256 * kib
export const proposalReceiptMaxLength = 4096
/** Of a confirmation summary, in characters; what is cut is marked. */
export const proposalInputShownMax = 2000
/** Messages are kept as long as run content by default; a turn needs its message for ten minutes. */
export const messageLifetimeDays = 30
export const messageTextMaxLength = 16 * kib
/** After its end, so that a repeated commit still gets its answer. */
export const endedProposalLifetimeSeconds = daySeconds

// Uploads
export const downloadCapabilityLifetimeSeconds = 5 * minuteSeconds
export const uploadCapabilityLifetimeSeconds = 15 * minuteSeconds
export const uploadSessionLifetimeSeconds = daySeconds
export const contextArchiveMaxBytes = 1 * gib
export const stagingSlotsMax = 20
export const stagingDeclaredMaxBytes = 20 * gib
export const uploadInitsPerMinuteMax = 5

// Results of a run
export const outputMaxBytes = 16 * mib
export const logMaxBytes = 64 * mib
export const artifactFilesMax = 1000
export const artifactPathMaxBytes = 1024
export const artifactPathComponentMaxBytes = 255
/** The bundle may take the workspace minus this reserve, and never more than `artifactBundleMaxBytes`. */
export const artifactWorkspaceReserveBytes = 16 * mib
export const artifactBundleMaxBytes = 1 * gib
export const publicLinkTokenMinLength = 16
export const publicLinkTokenMaxLength = 64

// Security findings
/** The most severe of a scan; a report says when there were more. */
export const findingsPerScanMax = 1000
/** Open findings of an environment after scans that were incomplete, and so resolved none. */
export const openFindingsMax = 2 * findingsPerScanMax
/** Days that a finding is kept after it was resolved or closed, and an exception after it ended. */
export const findingHistoryDays = 90

// Expiring links to results
export const signedLinkMinSeconds = minuteSeconds
export const signedLinkMaxSeconds = 30 * daySeconds
export const signedLinkDefaultSeconds = 7 * daySeconds
/** Live links of one run. */
export const signedLinksPerRunMax = 100

// Doors
export const doorsPerCompany = 50
export const doorRuntimesMax = 32
export const doorAliasesMax = 8
export const doorCommandMaxLength = 1024
export const doorTimeoutDefaultSeconds = 30
export const doorTimeoutMaxSeconds = 300
/** Longest beginning of a program's output, and of its error output, in the answer of a door. */
export const doorTextMaxBytes = mib
/** Longest command of a terminal. */
export const commandMaxBytes = 64 * kib

// Schedules
export const schedulesPerRoom = 50
export const schedulesPerCompany = 200
/** Longest text of a cron expression. */
export const cronMaxLength = 120
export const timeZoneMaxLength = 64
/** Next ticks that a schedule shows, and a preview of one. */
export const scheduleNextTicks = 3
export const schedulePreviewTicks = 5
/** A tick that could not be started in this time is missed. */
export const scheduleTickLateSeconds = 5 * minuteSeconds
/** A missed tick that starts a run once it can waits no longer for that. */
export const scheduleTickWaitSeconds = daySeconds
/** Failures in a row that pause a schedule. */
export const scheduleFailuresMax = 5
/** Ticks of a schedule that are kept; the newest. */
export const scheduleTicksKept = 100

// Waiting for runs and builds
/** Longest time that one request waits for the end of a run. */
export const runWaitMaxSeconds = minuteSeconds
/** A larger output is not part of an answer that has more than it. */
export const inlineOutputMaxBytes = 256 * kib

// Retention
export const runContentRetentionDefaultDays = 30
export const runContentRetentionMaxDays = 365
export const imageRetentionDefaultDays = 30
export const imageRetentionMaxDays = 90
export const buildRetryWindowSeconds = 7 * daySeconds
export const regionalCapacityGraceDays = 30

// Company defaults
export const activeEnvironmentLimitDefault = 30
export const capacityRetainedVersionLimitDefault = 100
export const runConcurrencyDefault = 50
export const queuedRunLimitDefault = 100
export const activeBuildLimitDefault = 2
export const queuedBuildLimitDefault = 20
/** Days that cached results of build steps with a network are reused. */
export const networkCacheDaysDefault = 7
export const networkCacheDaysMax = 30

// On-premises queue
export const onPremisesCompanyQueueLimitDefault = 20
export const onPremisesFleetQueueLimitDefault = 200
export const queueFullRetryAfterSeconds = 60

/** Domains of one allow list, and ranges of addresses. */
export const egressListEntriesMax = 64

// Notifications
/** Items that an inbox shows. */
export const inboxItemsMax = 100
/** Newest notifications that are kept for a user. */
export const notificationsPerUser = 1000
export const notificationLifetimeDays = 90
// Custom tables
export const tableFieldNamePattern = '^[a-z][a-z0-9_]{0,62}$'
export const tableFieldsMax = 200
export const tablesOfCompanyMax = 100
export const commandsOfTableMax = 50
export const rowsOfTableMax = 100_000
/** Bytes of a row's values as JSON, and of the inputs of a command. */
export const rowMaxBytes = 64 * kib
export const rowsPageSizeDefault = 50
export const clientRowKeyMaxLength = 128
export const rowFiltersMax = 10
export const rowFilterMaxLength = 1024
/** Rows that one run may write; a repeated call counts once. */
export const outputEffectsOfRunMax = 10_000
export const triggersOfTableMax = 10
/** Bytes of an input template as JSON. */
export const triggerTemplateMaxBytes = 16 * kib
/** Runs in a row of which each was started by a row that the one before it wrote. */
export const triggerChainMax = 8
/** Row events of a company that wait for their runs; further changes of such rows are refused. */
export const triggerEventsWaitingMax = 10_000
/** How long a row event waits while the company's queue is full. */
export const triggerEventWaitHours = 24
/** How long an event is listed after it was handled, and at least until its run has ended. */
export const triggerEventHistoryHours = 24
export const webhooksPerCompany = 20
export const webhookUrlMaxLength = 2048
/** Printable ASCII after the scheme; the service checks which address it may be. */
export const webhookUrlPattern = '^https?://[!-~]+$'
export const webhookDescriptionMaxLength = 256
/** Waiting deliveries of a webhook; further events are dropped and counted. */
export const webhookWaitingMax = 1000
/** Ended deliveries of a webhook that are shown. */
export const webhookHistoryMax = 1000
export const webhookRetryDays = 3
export const webhookSecretOverlapHours = 24
/** E-mails of a company that wait; what is beyond is in the notification centre alone. */
export const mailWaitingMax = 1000
/** E-mails to one user within a day, likewise. */
export const mailsPerUserAndDay = 100
