"""Does k̂, the number of datasets on which a system is better, stay at or below the truth?"""
