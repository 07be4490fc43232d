"""Names of columns in other languages and spellings, as English has them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SPELLINGS: Mapping[str, str] = {
    "model": "模型 模型名称 模型名 modell modèle modele modelo modello модель モデル モデル名 "
    "모델 모델명",
    "system": "系统 système sistema система システム 시스템",
    "dataset": "数据集 資料集 datensatz datensätze jeu_de_données conjunto_de_datos датасет "
    "データセット 데이터셋 데이터세트",
    "task": "任务 aufgabe tâche tarea tarefa задача タスク 과제",
    "question_id": "问题编号 题目编号 题号 问题id 题目id frage_id id_question id_pregunta 問題番号 "
    "문항번호",
    "item_id": "编号 序号 样本编号 样本id beispiel beispiel_id exemple ejemplo пример 番号",
    "metric": "指标 评价指标 metrik métrique métrica метрика 評価指標 지표",
    "score": "得分 分数 评分 punktzahl punteggio puntuación оценка スコア 점수",
    "accuracy": "准确率 正确率 準確率 正答率 精度 genauigkeit exactitude exactitud acurácia "
    "точность 정확도",
    "recall": "召回率 再現率 재현율",
    "precision": "精确率 適合率 정밀도",
    "f1": "f1值 f1分数 f1_wert f1_maß f1スコア f1점수",
    "correct": "正确 是否正确 正解 richtig korrekt correcto",
}
_ENGLISH = {
    spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings.split()
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def in_english(name: str) -> str:
    """Return the English name of a column that another language names, else the name itself."""
    if name.isascii() and not name.isalpha():
        return name
    return _ENGLISH.get(re.sub(r"[\s_-]+", "_", name.strip().lower()), name)


def words_apart(name: str) -> str:
    """Return a name in camel case with underscores: ``modelName`` is ``model_Name``."""
    return _CAMEL.sub("_", name)
