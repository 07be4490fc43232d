# What R's base `stats` says of the cases in a folder. Called as: Rscript reference.R FOLDER
# In: cases.tsv, one table of scores per case, family.tsv, judged tables, plans.
# Out: reference.tsv, lines of key and value; a value that R cannot give is NA.

folder <- commandArgs(trailingOnly = TRUE)[1]
out <- file(file.path(folder, "reference.tsv"), "w")
put <- function(key, value) cat(sprintf("%s\t%.17g\n", key, as.numeric(value)), sep = "", file = out)
quiet <- function(expression) suppressWarnings(tryCatch(expression, error = function(e) NULL))
numbers <- function(name) {
  table <- read.delim(file.path(folder, name), colClasses = "character", check.names = FALSE)
  as.matrix(as.data.frame(lapply(table, as.numeric), check.names = FALSE))
}
sides <- c("two-sided", "greater", "less")
of_r <- function(side) sub("two-sided", "two.sided", side)

# Exact p of a sum of signed sizes when every sign is a fair coin: all sign patterns up to 12
# differences, else by adding one size after the other (whole sizes only).
signed_sum_p <- function(sizes, positive) {
  n <- length(sizes)
  if (n <= 12) {
    patterns <- as.matrix(expand.grid(rep(list(0:1), n)))
    sums <- as.vector(patterns %*% sizes)
    chance <- rep(2^-n, length(sums))
  } else {
    sums <- 0:sum(sizes)
    chance <- c(1, rep(0, sum(sizes)))
    for (size in sizes) chance <- (chance + c(rep(0, size), chance[seq_len(length(chance) - size)])) / 2
  }
  slack <- 1e-9 * max(1, sum(abs(sizes)))
  up <- sum(chance[sums >= positive - slack])
  down <- sum(chance[sums <= positive + slack])
  c("two-sided" = min(1, 2 * min(up, down)), greater = min(1, up), less = min(1, down))
}

pair <- function(key, a, b, delta, margin) {
  kept <- !is.na(a) & !is.na(b)
  a <- a[kept]; b <- b[kept]; d <- a - b; n <- length(d)
  put(paste0(key, "|n"), n)
  put(paste0(key, "|difference"), mean(d))
  put(paste0(key, "|win"), sum(d > 0)); put(paste0(key, "|tie"), sum(d == 0)); put(paste0(key, "|loss"), sum(d < 0))
  spread <- length(unique(d)) > 1
  if (n > 1 && spread) put(paste0(key, "|dz"), mean(d) / sd(d))
  if (n > 2 && spread) put(paste0(key, "|shapiro"), quiet(shapiro.test(d)$p.value))
  for (mu in unique(c(0, delta))) for (side in sides) {
    here <- sprintf("%s|%%s|%s|%s", key, if (mu == 0) "0" else "delta", side)
    if (n > 1 && spread) {
      t <- t.test(a, b, paired = TRUE, mu = mu, alternative = of_r(side))
      put(paste0(sprintf(here, "t"), "|p"), t$p.value)
      put(paste0(sprintf(here, "t"), "|statistic"), t$statistic)
      if (mu == 0 && side == "two-sided") {
        put(paste0(key, "|t|low"), t$conf.int[1]); put(paste0(key, "|t|high"), t$conf.int[2])
        narrow <- t.test(a, b, paired = TRUE, conf.level = .99)$conf.int
        put(paste0(key, "|t|low99"), narrow[1]); put(paste0(key, "|t|high99"), narrow[2])
      }
    }
    e <- d[d != mu] - mu
    if (length(e) > 0) {
      sign <- binom.test(sum(e > 0), length(e), alternative = of_r(side))
      put(paste0(sprintf(here, "sign"), "|p"), sign$p.value)
      ranks <- 2 * rank(abs(e))
      positive <- sum(ranks[e > 0])
      tied <- anyDuplicated(abs(e)) > 0
      p <- if (length(e) > 500) {
        wilcox.test(a, b, paired = TRUE, mu = mu, alternative = of_r(side), exact = FALSE, correct = FALSE)$p.value
      } else if (tied) {
        signed_sum_p(ranks, positive)[[side]]
      } else {
        quiet(wilcox.test(e, alternative = of_r(side), exact = TRUE)$p.value)
      }
      put(paste0(sprintf(here, "wilcoxon"), "|p"), p)
      put(paste0(sprintf(here, "wilcoxon"), "|statistic"), positive / 2)
    }
    whole <- d[d != 0] * if (all(d == round(d))) 1 else 1024
    short <- all(whole == round(whole)) && sum(abs(whole)) < 2e5
    if (mu == 0 && length(whole) > 0 && (length(whole) <= 12 || short))
      put(paste0(sprintf(here, "permutation"), "|p"), signed_sum_p(abs(whole), sum(whole[whole > 0]))[[side]])
  }
  if (n > 1 && spread && margin > 0) {
    put(paste0(key, "|tost|lower"), t.test(d, mu = -margin, alternative = "greater")$p.value)
    put(paste0(key, "|tost|upper"), t.test(d, mu = margin, alternative = "less")$p.value)
  }
  if (n > 0 && length(d) <= 300) {
    walsh <- outer(d, d, "+") / 2
    put(paste0(key, "|hl"), median(walsh[upper.tri(walsh, diag = TRUE)]))
  }
  if (all(c(a, b) %in% 0:1) && any(d != 0)) {
    table <- table(factor(a, 0:1), factor(b, 0:1))
    put(paste0(key, "|mcnemar|0|two-sided|p"), binom.test(sum(d > 0), sum(d != 0))$p.value)
    for (correct in c(FALSE, TRUE)) {
      name <- if (correct) "mcnemar-chi2-cc" else "mcnemar-chi2"
      test <- mcnemar.test(table, correct = correct)
      put(sprintf("%s|%s|0|two-sided|p", key, name), test$p.value)
    }
  }
}

board <- function(key, scores) {
  k <- ncol(scores)
  p <- matrix(NA, k, k)
  for (i in seq_len(k - 1)) for (j in (i + 1):k) {
    d <- scores[, i] - scores[, j]; d <- d[!is.na(d)]
    if (length(d) > 1 && length(unique(d)) > 1) p[i, j] <- t.test(d)$p.value
    else if (length(d) > 1 && all(d == 0)) p[i, j] <- 1
  }
  raw <- t(p)[lower.tri(p)]
  for (how in c("none", "bonferroni", "holm", "hochberg", "hommel", "BH", "BY")) {
    adjusted <- matrix(NA, k, k)
    values <- raw
    values[!is.na(raw)] <- p.adjust(raw[!is.na(raw)], how)
    adjusted[lower.tri(adjusted)] <- values
    for (i in seq_len(k - 1)) for (j in (i + 1):k)
      put(sprintf("%s|%s|%s|adjusted|%s", key, colnames(scores)[i], colnames(scores)[j], tolower(how)), adjusted[j, i])
  }
  if (anyNA(scores)) {
    long <- data.frame(score = c(scores), system = factor(c(col(scores))), item = factor(c(row(scores))))
    long <- droplevels(long[!is.na(long$score), ])
    fit <- lm(score ~ system + item, long)
    additive <- sapply(levels(long$system), function(name)
      mean(predict(fit, data.frame(system = name, item = levels(long$item)))))
    of_all <- scores[complete.cases(scores), , drop = FALSE]
    tried <- sum(rowSums(!is.na(scores)) > 0)
    is_enough <- nrow(of_all) >= max(2, tried / 2)
  }
  for (i in seq_len(k)) {
    where <- sprintf("%s|%s", key, colnames(scores)[i])
    put(paste0(where, "|own"), mean(scores[, i], na.rm = TRUE))
    if (anyNA(scores)) {  # ranked on shared items, or by an additive model of systems and items
      put(paste0(where, "|score"), if (is_enough) mean(of_all[, i]) else additive[i])
      next
    }
    x <- scores[, i]
    put(paste0(where, "|score"), mean(x))
    ends <- if (all(x %in% 0:1)) prop.test(sum(x), length(x), correct = FALSE)$conf.int
            else if (length(unique(x)) > 1) t.test(x)$conf.int
    if (!is.null(ends)) { put(paste0(where, "|low"), ends[1]); put(paste0(where, "|high"), ends[2]) }
  }
}

# Groups of items: the cluster-robust t of the mean, and signs exchanged by whole groups.
grouped <- function(key, d, group) {
  sums <- tapply(d - mean(d), group, sum); G <- length(sums)
  t <- mean(d) / sqrt(G / (G - 1) * sum(sums^2) / length(d)^2)
  half <- qt(.975, G - 1) * abs(mean(d) / t)
  put(paste0(key, "|grouped|t|statistic"), t)
  put(paste0(key, "|grouped|t|p"), 2 * pt(-abs(t), G - 1))
  put(paste0(key, "|grouped|t|low"), mean(d) - half); put(paste0(key, "|grouped|t|high"), mean(d) + half)
  whole <- tapply(d, group, sum); whole <- whole[whole != 0]
  put(paste0(key, "|grouped|permutation|p"), signed_sum_p(abs(whole), sum(whole[whole > 0]))[["two-sided"]])
}

cases <- read.delim(file.path(folder, "cases.tsv"), colClasses = "character")
for (row in seq_len(nrow(cases))) {
  scores <- numbers(paste0(cases$name[row], ".tsv"))
  for (i in seq_len(ncol(scores) - 1)) for (j in (i + 1):ncol(scores))
    pair(paste(cases$name[row], colnames(scores)[i], colnames(scores)[j], sep = "|"),
         scores[, i], scores[, j], as.numeric(cases$delta[row]), as.numeric(cases$margin[row]))
  board(cases$name[row], scores)
  groups <- file.path(folder, paste0("groups-", cases$name[row], ".tsv"))
  if (file.exists(groups))
    for (i in seq_len(ncol(scores) - 1)) for (j in (i + 1):ncol(scores))
      grouped(paste(cases$name[row], colnames(scores)[i], colnames(scores)[j], sep = "|"),
              scores[, i] - scores[, j], read.delim(groups)$group)
}

# Systems over datasets: means in, ranks, Friedman, Nemenyi; p-values of one pair, combined.
means <- numbers("family.tsv")
k <- ncol(means); N <- nrow(means)
test <- friedman.test(means)
put("rank|friedman|statistic", test$statistic); put("rank|friedman|p", test$p.value)
ranks <- colMeans(t(apply(-means, 1, rank)))
error <- sqrt(k * (k + 1) / (6 * N))
f <- (N - 1) * test$statistic / (N * (k - 1) - test$statistic)
put("rank|friedman|f", f); put("rank|friedman|f_p", pf(f, k - 1, (k - 1) * (N - 1), lower.tail = FALSE))
put("rank|nemenyi|cd", qtukey(.95, k, Inf) / sqrt(2) * error)
over <- c()
for (i in seq_len(k)) {
  put(paste0("rank|mean|", colnames(means)[i]), ranks[i])
  for (j in seq_len(k)) if (i < j) {
    at <- sprintf("%s|%s", colnames(means)[i], colnames(means)[j])
    put(paste0("rank|nemenyi|", at), ptukey(abs(ranks[i] - ranks[j]) / error * sqrt(2), k, Inf, lower.tail = FALSE))
    d <- means[, i] - means[, j]; d <- d[d != 0]
    size <- 2 * rank(abs(d))
    p <- if (anyDuplicated(abs(d)) > 0) signed_sum_p(size, sum(size[d > 0]))[["two-sided"]]
         else wilcox.test(d, exact = TRUE)$p.value
    over[at] <- p
    put(paste0("rank|wilcoxon|", at), p)
  }
}
for (at in names(over)) put(paste0("rank|holm|", at), p.adjust(over, "holm")[[at]])

parts <- Sys.glob(file.path(folder, "family-*.tsv"))
p <- sapply(parts, function(part) {
  scores <- numbers(basename(part)); t.test(scores[, 1], scores[, 2], paired = TRUE)$p.value
})
one <- sapply(parts, function(part) {
  scores <- numbers(basename(part)); t.test(scores[, 1], scores[, 2], paired = TRUE, alternative = "greater")$p.value
})
combined <- function(key, p) {
  n <- length(p); s <- sort(p)
  of <- list(
    bonferroni = function(rest, m) min(1, m * rest[1]),
    fisher = function(rest, m) pchisq(-2 * sum(log(rest)), 2 * m, lower.tail = FALSE),
    simes = function(rest, m) min(1, m * rest / seq_len(m)),
    stouffer = function(rest, m) pnorm(sum(qnorm(rest, lower.tail = FALSE)) / sqrt(m), lower.tail = FALSE)
  )
  # "At least u" says that "at least u - 1" too: p never falls in u.
  for (name in names(of)) {
    values <- cummax(sapply(seq_len(n), function(u) of[[name]](s[u:n], n - u + 1)))
    for (u in seq_len(n)) put(sprintf("%s|%s|%d", key, name, u), values[u])
  }
  for (how in c("bonferroni", "holm", "hochberg", "hommel", "BH", "BY"))
    for (i in seq_len(n)) put(sprintf("%s|adjusted|%s|%d", key, tolower(how), i), p.adjust(p, how)[i])
}
combined("replicability|undirected", p)
combined("replicability|a_over_b", one)
for (i in seq_along(p)) { put(sprintf("replicability|p|%d", i), p[i]); put(sprintf("replicability|one|%d", i), one[i]) }

# Metrics against a gold: over the means of systems, and over all outputs at once.
gold <- numbers("gold.tsv")
for (file in Sys.glob(file.path(folder, "metric-*.tsv"))) {
  name <- sub("metric-(.*)\\.tsv", "\\1", basename(file))
  metric <- numbers(basename(file))
  levels <- list(system = list(colMeans(gold), colMeans(metric)), global = list(c(gold), c(metric)))
  for (level in names(levels)) for (how in c("pearson", "spearman", "kendall")) {
    x <- levels[[level]][[1]]; y <- levels[[level]][[2]]
    test <- quiet(cor.test(x, y, method = how, exact = FALSE))
    put(sprintf("correlate|%s|%s|%s", level, how, name), test$estimate)
    if (how == "pearson") {
      put(sprintf("correlate|%s|%s|%s|low", level, how, name), test$conf.int[1])
      put(sprintf("correlate|%s|%s|%s|high", level, how, name), test$conf.int[2])
    }
  }
}

# Planning.
plans <- read.delim(file.path(folder, "plans-t.tsv"))
for (row in seq_len(nrow(plans))) with(plans[row, ], {
  for (side in c("two-sided", "greater")) {
    power <- power.t.test(n, delta = mean, sd = sd, sig.level = alpha, type = "paired", strict = TRUE,
                          alternative = if (side == "greater") "one.sided" else "two.sided")$power
    put(sprintf("power|t|%d|%s", row, side), power)
  }
})
plans <- read.delim(file.path(folder, "plans-mcnemar.tsv"))
for (row in seq_len(nrow(plans))) with(plans[row, ], {
  apart <- 1 - agreement
  better <- (apart + gap) / 2
  right <- 0; either <- 0
  for (m in seq_len(n)) {
    found <- 2 * pbinom(pmin(0:m, m:0), m, .5) <= alpha
    chance <- dbinom(m, n, apart) * dbinom(0:m, m, better / apart)
    right <- right + sum(chance[found & 0:m > m / 2])
    either <- either + sum(chance[found])
  }
  put(sprintf("power|mcnemar|%d|power", row), right)
  put(sprintf("power|mcnemar|%d|rejection_rate", row), either)
})
close(out)
