CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE analysis_result (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	"key" VARCHAR(64) NOT NULL, 
	question VARCHAR(100) NOT NULL, 
	arguments JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	size INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	payload BLOB NOT NULL, 
	CONSTRAINT uq_analysis_result_key UNIQUE ("key")
);

CREATE INDEX ix_analysis_result_size ON analysis_result (size);

CREATE TABLE annotator (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	name VARCHAR(400) NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT ck_annotator_kind_known CHECK (kind IN ('human', 'model')), 
	CONSTRAINT fk_annotator_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT uq_annotator_dataset_id_name UNIQUE (dataset_id, name), 
	CONSTRAINT uq_annotator_uid UNIQUE (uid)
);

CREATE TABLE audit_event (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at VARCHAR(32) NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	action VARCHAR(40) NOT NULL, 
	target_kind VARCHAR(40) NOT NULL, 
	target_uid VARCHAR(12) NOT NULL, 
	detail JSON NOT NULL
, via VARCHAR(40), salt VARCHAR(32), actor_digest VARCHAR(64) DEFAULT '' NOT NULL, detail_digest VARCHAR(64) DEFAULT '' NOT NULL, chain_hash VARCHAR(64) DEFAULT '' NOT NULL);

CREATE INDEX ix_audit_event_target_kind_target_uid ON audit_event (target_kind, target_uid);

CREATE TABLE board_snapshot (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	dataset_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	store_revision INTEGER NOT NULL, 
	method_version VARCHAR(20) NOT NULL, 
	settings JSON NOT NULL, 
	board JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT fk_board_snapshot_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_board_snapshot_metric_id_metric FOREIGN KEY(metric_id) REFERENCES metric (id)
);

CREATE INDEX ix_board_snapshot_dataset_id ON board_snapshot (dataset_id);

CREATE INDEX ix_board_snapshot_metric_id ON board_snapshot (metric_id);

CREATE TABLE claim (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	system_id INTEGER NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	run_id INTEGER, 
	claimed_on VARCHAR(32) NOT NULL, 
	value DOUBLE NOT NULL, 
	printed VARCHAR(200) NOT NULL, 
	source VARCHAR(1000) NOT NULL, 
	source_url VARCHAR(2000), 
	quote TEXT NOT NULL, 
	origin VARCHAR(20) NOT NULL, 
	tier VARCHAR(20) NOT NULL, 
	ingest_id INTEGER, 
	actor VARCHAR(200) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT ck_claim_origin_known CHECK (origin IN ('hand', 'file', 'found')), 
	CONSTRAINT ck_claim_tier_known CHECK (tier IN ('reported', 'reproduced', 'contradicted')), 
	CONSTRAINT fk_claim_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_claim_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_claim_metric_id_metric FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_claim_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE SET NULL, 
	CONSTRAINT fk_claim_system_id_system FOREIGN KEY(system_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_claim_identity UNIQUE (system_id, dataset_id, metric_id, claimed_on, source, value), 
	CONSTRAINT uq_claim_uid UNIQUE (uid)
);

CREATE INDEX ix_claim_dataset_id ON claim (dataset_id);

CREATE INDEX ix_claim_ingest_id ON claim (ingest_id);

CREATE INDEX ix_claim_metric_id ON claim (metric_id);

CREATE INDEX ix_claim_run_id ON claim (run_id);

CREATE TABLE claim_evidence (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	claim_id INTEGER NOT NULL, 
	verdict VARCHAR(20) NOT NULL, 
	tier VARCHAR(20), 
	figures JSON NOT NULL, 
	signature TEXT NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, method_version VARCHAR(20) DEFAULT '' NOT NULL, 
	CONSTRAINT ck_claim_evidence_verdict_known CHECK (verdict IN ('supported', 'within-noise', 'underpowered', 'unverifiable', 'contradicted')), 
	CONSTRAINT ck_claim_evidence_tier_known CHECK (tier IN ('reported', 'reproduced', 'contradicted')), 
	CONSTRAINT fk_claim_evidence_claim_id_claim FOREIGN KEY(claim_id) REFERENCES claim (id) ON DELETE CASCADE
);

CREATE INDEX ix_claim_evidence_claim_id ON claim_evidence (claim_id);

CREATE TABLE criterion (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	level VARCHAR(20) NOT NULL, 
	higher_is_better BOOLEAN NOT NULL, 
	lower DOUBLE, 
	upper DOUBLE, 
	labels JSON NOT NULL, 
	weights JSON, 
	question TEXT NOT NULL, 
	CONSTRAINT ck_criterion_kind_known CHECK (kind IN ('rating', 'preference', 'error-spans')), 
	CONSTRAINT ck_criterion_level_known CHECK (level IN ('nominal', 'ordinal', 'interval')), 
	CONSTRAINT fk_criterion_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT uq_criterion_dataset_id_name UNIQUE (dataset_id, name), 
	CONSTRAINT uq_criterion_uid UNIQUE (uid)
);

CREATE TABLE dataset (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	name VARCHAR(400) NOT NULL, 
	version VARCHAR(100) NOT NULL, 
	task VARCHAR(200), 
	language VARCHAR(100), 
	domain VARCHAR(200), 
	n_items INTEGER NOT NULL, 
	chain_hash VARCHAR(64) NOT NULL, 
	n_items_stated INTEGER, 
	sealed BOOLEAN NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	deleted_at VARCHAR(32), 
	CONSTRAINT uq_dataset_uid UNIQUE (uid)
);

CREATE UNIQUE INDEX uq_dataset_living_name_version ON dataset (name, version) WHERE deleted_at IS NULL;

CREATE TABLE "dataset_overlap" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	dataset_a_id INTEGER NOT NULL, 
	dataset_b_id INTEGER NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	note TEXT NOT NULL, 
	CONSTRAINT ck_dataset_overlap_ck_dataset_overlap_kind_known CHECK (kind IN ('shared-items', 'contains', 'transform', 'independent')), 
	CONSTRAINT ck_dataset_overlap_ck_dataset_overlap_ordered CHECK (dataset_a_id < dataset_b_id), 
	CONSTRAINT fk_dataset_overlap_dataset_a_id_dataset FOREIGN KEY(dataset_a_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_dataset_overlap_dataset_b_id_dataset FOREIGN KEY(dataset_b_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT uq_dataset_overlap_dataset_a_id_dataset_b_id UNIQUE (dataset_a_id, dataset_b_id)
);

CREATE INDEX ix_dataset_overlap_dataset_b_id ON dataset_overlap (dataset_b_id);

CREATE TABLE error_span (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	rating_id INTEGER NOT NULL, 
	severity VARCHAR(100) NOT NULL, 
	category VARCHAR(200) NOT NULL, 
	start INTEGER, 
	"end" INTEGER, 
	text TEXT NOT NULL, 
	in_source BOOLEAN NOT NULL, 
	note TEXT NOT NULL, 
	CONSTRAINT fk_error_span_rating_id_rating FOREIGN KEY(rating_id) REFERENCES rating (id) ON DELETE CASCADE
);

CREATE INDEX ix_error_span_rating_id ON error_span (rating_id);

CREATE TABLE import (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	added JSON NOT NULL, 
	summary JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	undone_at VARCHAR(32), 
	CONSTRAINT uq_import_uid UNIQUE (uid)
);

CREATE TABLE import_answer (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	subject VARCHAR(400) NOT NULL, 
	answer VARCHAR(400) NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT uq_import_answer_subject UNIQUE (subject)
);

CREATE TABLE import_change (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	import_id INTEGER NOT NULL, 
	table_name VARCHAR(60) NOT NULL, 
	row_id INTEGER NOT NULL, 
	"before" JSON, 
	"after" JSON, 
	CONSTRAINT fk_import_change_import_id_import FOREIGN KEY(import_id) REFERENCES import (id)
);

CREATE INDEX ix_import_change_import_id ON import_change (import_id);

CREATE TABLE ingest (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	format VARCHAR(40) NOT NULL, 
	files JSON NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	report JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT uq_ingest_uid UNIQUE (uid)
);

CREATE TABLE item (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	dataset_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	"key" VARCHAR(400) NOT NULL, 
	group_key VARCHAR(400), 
	content_hash VARCHAR(64), 
	chain_hash VARCHAR(64) NOT NULL, 
	metadata JSON, 
	CONSTRAINT fk_item_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT uq_item_dataset_id_key UNIQUE (dataset_id, "key"), 
	CONSTRAINT uq_item_dataset_id_position UNIQUE (dataset_id, position)
);

CREATE INDEX ix_item_content_hash ON item (content_hash);

CREATE TABLE item_text (
	item_id INTEGER NOT NULL, 
	input_text TEXT, 
	reference_text TEXT, checksum BIGINT, 
	CONSTRAINT pk_item_text PRIMARY KEY (item_id), 
	CONSTRAINT fk_item_text_item_id_item FOREIGN KEY(item_id) REFERENCES item (id) ON DELETE CASCADE
);

CREATE TABLE kept_answer (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	place VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	body TEXT, 
	worker VARCHAR(200) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, checksum BIGINT, 
	CONSTRAINT uq_kept_answer_place UNIQUE (place)
);

CREATE TABLE "metric" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	signature VARCHAR(400) NOT NULL, 
	higher_is_better BOOLEAN NOT NULL, 
	aggregation VARCHAR(20) NOT NULL, 
	unit VARCHAR(20) NOT NULL, 
	lower DOUBLE, 
	upper DOUBLE, 
	source VARCHAR(20) DEFAULT 'automatic' NOT NULL CONSTRAINT ck_metric_source_known CHECK (source IN ('automatic', 'human', 'model')), kind VARCHAR(20) DEFAULT '' NOT NULL CONSTRAINT ck_metric_kind_known CHECK (kind IN ('', 'right-wrong', 'rating', 'bounded', 'unbounded', 'count', 'time', 'money')), sources JSON, 
	CONSTRAINT ck_metric_ck_metric_aggregation_known CHECK (aggregation IN ('mean', 'median', 'ratio', 'f1', 'bleu', 'chrf', 'pearson', 'spearman')), 
	CONSTRAINT uq_metric_name_signature UNIQUE (name, signature), 
	CONSTRAINT uq_metric_uid UNIQUE (uid)
);

CREATE TABLE "note" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	target_kind VARCHAR(20) NOT NULL, 
	target_id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT ck_note_ck_note_target_kind_known CHECK (target_kind IN ('system', 'dataset', 'run', 'item', 'import'))
);

CREATE INDEX ix_note_target_kind_target_id ON note (target_kind, target_id);

CREATE TABLE output (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id INTEGER NOT NULL, 
	trial INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	text TEXT NOT NULL, checksum BIGINT, 
	CONSTRAINT fk_output_item_id_item FOREIGN KEY(item_id) REFERENCES item (id) ON DELETE CASCADE, 
	CONSTRAINT fk_output_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT uq_output_run_id_trial_item_id UNIQUE (run_id, trial, item_id)
);

CREATE INDEX ix_output_item_id ON output (item_id);

CREATE TABLE preference (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	criterion_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	first_id INTEGER NOT NULL, 
	second_id INTEGER NOT NULL, 
	choice VARCHAR(20) NOT NULL, 
	strength DOUBLE, 
	order_known BOOLEAN NOT NULL, 
	first_length INTEGER, 
	second_length INTEGER, 
	replicate INTEGER NOT NULL, 
	judged_at VARCHAR(32), 
	ingest_id INTEGER NOT NULL, 
	CONSTRAINT ck_preference_choice_known CHECK (choice IN ('first', 'second', 'tie')), 
	CONSTRAINT ck_preference_of_two CHECK (first_id <> second_id), 
	CONSTRAINT fk_preference_annotator_id_annotator FOREIGN KEY(annotator_id) REFERENCES annotator (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_criterion_id_criterion FOREIGN KEY(criterion_id) REFERENCES criterion (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_first_id_system FOREIGN KEY(first_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_preference_item_id_item FOREIGN KEY(item_id) REFERENCES item (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_second_id_system FOREIGN KEY(second_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_preference_of_pair UNIQUE (criterion_id, annotator_id, item_id, first_id, second_id, replicate)
);

CREATE INDEX ix_preference_annotator_id ON preference (annotator_id);

CREATE INDEX ix_preference_first_id ON preference (first_id);

CREATE INDEX ix_preference_ingest_id ON preference (ingest_id);

CREATE INDEX ix_preference_item_id ON preference (item_id);

CREATE INDEX ix_preference_second_id ON preference (second_id);

CREATE TABLE rating (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	criterion_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	system_id INTEGER, 
	value DOUBLE, 
	replicate INTEGER NOT NULL, 
	judged_at VARCHAR(32), 
	ingest_id INTEGER NOT NULL, 
	CONSTRAINT fk_rating_annotator_id_annotator FOREIGN KEY(annotator_id) REFERENCES annotator (id) ON DELETE CASCADE, 
	CONSTRAINT fk_rating_criterion_id_criterion FOREIGN KEY(criterion_id) REFERENCES criterion (id) ON DELETE CASCADE, 
	CONSTRAINT fk_rating_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_rating_item_id_item FOREIGN KEY(item_id) REFERENCES item (id) ON DELETE CASCADE, 
	CONSTRAINT fk_rating_system_id_system FOREIGN KEY(system_id) REFERENCES system (id) ON DELETE CASCADE
);

CREATE INDEX ix_rating_annotator_id ON rating (annotator_id);

CREATE INDEX ix_rating_criterion_id ON rating (criterion_id);

CREATE INDEX ix_rating_ingest_id ON rating (ingest_id);

CREATE INDEX ix_rating_item_id ON rating (item_id);

CREATE INDEX ix_rating_system_id ON rating (system_id);

CREATE UNIQUE INDEX uq_rating_of_item ON rating (criterion_id, annotator_id, item_id, replicate) WHERE system_id IS NULL;

CREATE UNIQUE INDEX uq_rating_of_output ON rating (criterion_id, annotator_id, item_id, system_id, replicate) WHERE system_id IS NOT NULL;

CREATE TABLE reported_comparison (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	system_a_id INTEGER NOT NULL, 
	system_b_id INTEGER NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	pvalue DOUBLE NOT NULL, 
	test VARCHAR(200) NOT NULL, 
	sidedness VARCHAR(20) NOT NULL, 
	printed VARCHAR(200) NOT NULL, 
	source VARCHAR(1000) NOT NULL, 
	source_url VARCHAR(2000), 
	ingest_id INTEGER NOT NULL, 
	CONSTRAINT ck_reported_comparison_ck_reported_comparison_sidedness_known CHECK (sidedness IN ('two-sided', 'greater', 'less', 'unstated')), 
	CONSTRAINT fk_reported_comparison_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reported_comparison_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_reported_comparison_metric_id_metric FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_reported_comparison_system_a_id_system FOREIGN KEY(system_a_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reported_comparison_system_b_id_system FOREIGN KEY(system_b_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_reported_comparison_identity UNIQUE (system_a_id, system_b_id, dataset_id, metric_id, source), 
	CONSTRAINT uq_reported_comparison_uid UNIQUE (uid)
);

CREATE INDEX ix_reported_comparison_dataset_id ON reported_comparison (dataset_id);

CREATE INDEX ix_reported_comparison_ingest_id ON reported_comparison (ingest_id);

CREATE INDEX ix_reported_comparison_metric_id ON reported_comparison (metric_id);

CREATE INDEX ix_reported_comparison_system_b_id ON reported_comparison (system_b_id);

CREATE TABLE reported_score (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	system_id INTEGER NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	run_id INTEGER, 
	value DOUBLE NOT NULL, 
	stderr DOUBLE, 
	n_items INTEGER, 
	printed VARCHAR(200) NOT NULL, 
	source VARCHAR(1000) NOT NULL, 
	source_url VARCHAR(2000), 
	reported_on VARCHAR(32), 
	ingest_id INTEGER NOT NULL, 
	CONSTRAINT fk_reported_score_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reported_score_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_reported_score_metric_id_metric FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_reported_score_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reported_score_system_id_system FOREIGN KEY(system_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_reported_score_system_id_dataset_id_metric_id_source_run_id UNIQUE (system_id, dataset_id, metric_id, source, run_id), 
	CONSTRAINT uq_reported_score_uid UNIQUE (uid)
);

CREATE INDEX ix_reported_score_dataset_id ON reported_score (dataset_id);

CREATE INDEX ix_reported_score_ingest_id ON reported_score (ingest_id);

CREATE INDEX ix_reported_score_metric_id ON reported_score (metric_id);

CREATE INDEX ix_reported_score_run_id ON reported_score (run_id);

CREATE TABLE run (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	system_id INTEGER NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	label VARCHAR(400) NOT NULL, 
	complete BOOLEAN NOT NULL, 
	evaluated_on VARCHAR(32), 
	tz_assumed BOOLEAN NOT NULL, 
	seed BIGINT, 
	command TEXT, 
	harness VARCHAR(200), 
	harness_version VARCHAR(200), 
	git_origin VARCHAR(1000), 
	git_commit VARCHAR(100), 
	git_dirty BOOLEAN, 
	source_url VARCHAR(2000), 
	packages JSON, 
	config JSON, 
	ingest_id INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	deleted_at VARCHAR(32), repeats VARCHAR(20) DEFAULT 'samples' NOT NULL CONSTRAINT ck_run_repeats_known CHECK (repeats IN ('samples', 'seeds')), 
	CONSTRAINT fk_run_dataset_id_dataset FOREIGN KEY(dataset_id) REFERENCES dataset (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_ingest_id_ingest FOREIGN KEY(ingest_id) REFERENCES ingest (id), 
	CONSTRAINT fk_run_system_id_system FOREIGN KEY(system_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_run_uid UNIQUE (uid)
);

CREATE INDEX ix_run_dataset_id ON run (dataset_id);

CREATE INDEX ix_run_ingest_id ON run (ingest_id);

CREATE INDEX ix_run_system_id ON run (system_id);

CREATE UNIQUE INDEX uq_run_living_system_dataset_label ON run (system_id, dataset_id, label) WHERE deleted_at IS NULL;

CREATE TABLE saved_view (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	owner VARCHAR(200) NOT NULL, 
	place VARCHAR(40) NOT NULL, 
	"query" TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT uq_saved_view_uid UNIQUE (uid)
);

CREATE TABLE score_vector (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id INTEGER NOT NULL, 
	metric_id INTEGER NOT NULL, 
	trial INTEGER NOT NULL, 
	n_items INTEGER NOT NULL, 
	n_components INTEGER NOT NULL, 
	chain_hash VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	n_scored INTEGER NOT NULL, 
	value DOUBLE, 
	std DOUBLE, 
	min DOUBLE, 
	max DOUBLE, 
	data BLOB NOT NULL, 
	CONSTRAINT fk_score_vector_metric_id_metric FOREIGN KEY(metric_id) REFERENCES metric (id), 
	CONSTRAINT fk_score_vector_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT uq_score_vector_run_id_metric_id_trial UNIQUE (run_id, metric_id, trial)
);

CREATE INDEX ix_score_vector_metric_id_max ON score_vector (metric_id, max);

CREATE INDEX ix_score_vector_metric_id_min ON score_vector (metric_id, min);

CREATE TABLE seal (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	table_name VARCHAR(64) NOT NULL, 
	part INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	CONSTRAINT uq_seal_table_name_part UNIQUE (table_name, part)
);

CREATE TABLE server_work (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	server VARCHAR(200) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	seconds INTEGER NOT NULL, 
	n_waiting INTEGER NOT NULL, 
	n_done INTEGER, 
	n_steps INTEGER, 
	seen_at VARCHAR(32) NOT NULL, 
	is_stopped BOOLEAN NOT NULL, 
	CONSTRAINT uq_server_work_uid UNIQUE (uid)
);

CREATE TABLE status_vector (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id INTEGER NOT NULL, 
	trial INTEGER NOT NULL, 
	n_items INTEGER NOT NULL, 
	n_error INTEGER NOT NULL, 
	n_not_attempted INTEGER NOT NULL, 
	n_by_rule INTEGER NOT NULL, 
	data BLOB NOT NULL, n_unscored INTEGER DEFAULT '0' NOT NULL, n_judge_failed INTEGER DEFAULT '0' NOT NULL, n_timed_out INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT fk_status_vector_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT uq_status_vector_run_id_trial UNIQUE (run_id, trial)
);

CREATE TABLE system (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	name VARCHAR(400) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	deleted_at VARCHAR(32), 
	CONSTRAINT uq_system_uid UNIQUE (uid)
);

CREATE UNIQUE INDEX uq_system_living_name ON system (name) WHERE deleted_at IS NULL;

CREATE TABLE system_alias (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	system_id INTEGER NOT NULL, 
	alias VARCHAR(400) NOT NULL, 
	CONSTRAINT fk_system_alias_system_id_system FOREIGN KEY(system_id) REFERENCES system (id) ON DELETE CASCADE, 
	CONSTRAINT uq_system_alias_alias UNIQUE (alias)
);

CREATE INDEX ix_system_alias_system_id ON system_alias (system_id);

CREATE TABLE "tag" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	target_kind VARCHAR(20) NOT NULL, 
	target_id INTEGER NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	CONSTRAINT ck_tag_ck_tag_target_kind_known CHECK (target_kind IN ('system', 'dataset', 'run', 'item', 'import')), 
	CONSTRAINT uq_tag_target_kind_target_id_name UNIQUE (target_kind, target_id, name)
);

CREATE INDEX ix_tag_name ON tag (name);

CREATE TABLE token (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR(12) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	owner VARCHAR(200) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	scope VARCHAR(10) NOT NULL, 
	dataset VARCHAR(400), 
	created_at VARCHAR(32) NOT NULL, 
	expires_at VARCHAR(32), 
	revoked_at VARCHAR(32), 
	last_used_at VARCHAR(32), owner_groups JSON, groups_seen_at VARCHAR(32), 
	CONSTRAINT ck_token_scope_known CHECK (scope IN ('read', 'write')), 
	CONSTRAINT uq_token_digest UNIQUE (digest), 
	CONSTRAINT uq_token_uid UNIQUE (uid)
);

